// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.Set;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests of {@link LockPreinitializer}.
 */
@Tag("boot4") // Spring Boot 3 ignores it
class LockPreinitializerTest {

	@Test
	void nothingStaysBehind() {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		BackgroundPreinitializer preinitializer = SpringFactoriesLoader.forDefaultResourceLocation()
			.load(BackgroundPreinitializer.class)
			.stream()
			.filter(LockPreinitializer.class::isInstance)
			.findFirst()
			.orElseThrow();
		// Spring Boot would ignore a failure.
		assertThatNoException().isThrownBy(preinitializer::preinitialize);
		await().untilAsserted(
				() -> assertThat(Thread.getAllStackTraces().keySet()).filteredOn((thread) -> !before.contains(thread))
					.noneMatch((thread) -> thread.getName().startsWith("lock-starter")));
	}

}
