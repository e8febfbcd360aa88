/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
