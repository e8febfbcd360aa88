// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nothing that is optional is missed.
 */
class OptionalDependenciesTest {

	private static final Pattern OPTIONAL = Pattern.compile(
			"/(spring-tx|spring-jdbc|spring-webflux|spring-data-[a-z]+|spring-boot-data-[a-z]+|spring-boot-starter-data-[a-z]+"
					+ "|spring-boot-transaction|spring-boot-actuator[a-z-]*|spring-boot-health|spring-integration-core|spring-messaging"
					+ "|shedlock-[a-z]+|lettuce-core|reactor-core|reactive-streams|kotlin[a-z-]*|h2)-[0-9][^/]*\\.jar$");

	@Test
	void serviceWithoutTransactionsRedisAndReactorLocksInItsMemory() {
		List<String> lean = JvmProcess.classPath().stream().filter((jar) -> !OPTIONAL.matcher(jar).find()).toList();
		try (JvmProcess jvm = JvmProcess.start(lean, List.of(), LeanApplication.class,
				"--distributed-lock.store=memory", "--spring.main.banner-mode=off")) {
			assertThat(jvm.await("locked")).isEqualTo("true");
			assertThat(jvm.await("transactions")).as("control").isEqualTo("false");
			assertThat(jvm.await("redis")).as("control").isEqualTo("false");
			assertThat(jvm.awaitEnd()).isZero();
		}
	}

}
