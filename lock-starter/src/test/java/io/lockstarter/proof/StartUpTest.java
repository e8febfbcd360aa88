// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.List;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the start of a service costs is above all the classes that are loaded, each lambda
 * expression included. A service with Redis and one annotated method loads so many of
 * ours, and has so many bean definitions of ours, before the store is opened, which takes
 * no time of the start. Whoever needs more has to say so here.
 */
class StartUpTest {

	private static final int CLASSES = 304;

	private static final int BEANS = 25;

	private static final Pattern NEEDED = Pattern.compile("(?<!\\.jar)$|/(spring-(aop|beans|boot|boot-autoconfigure"
			+ "|boot-data-[a-z]+|boot-netty|boot-persistence|boot-transaction|context|context-support|core|data-[a-z]+"
			+ "|expression|jcl|messaging|oxm|tx)|lettuce-core|netty-[a-z-]+|reactor-core|reactive-streams"
			+ "|micrometer-(commons|observation)|commons-logging|slf4j-api|logback-[a-z]+|jspecify|snakeyaml"
			+ "|jakarta.annotation-api|redis-authx-core)-[0-9][^/]*\\.jar$");

	@Test
	void fewClassesAndBeansOfOurs() {
		List<String> classPath = JvmProcess.classPath().stream().filter((jar) -> NEEDED.matcher(jar).find()).toList();
		try (JvmProcess jvm = JvmProcess.start(classPath, List.of("-Xlog:class+load=info:stdout:none"),
				StartUpApplication.class, "--spring.main.banner-mode=off", "--spring.data.redis.host=127.0.0.1",
				"--spring.data.redis.port=1")) {
			List<String> lines = jvm.awaitRest();
			int end = lines.indexOf(StartUpApplication.STARTED);
			assertThat(end).as(lines.toString()).isPositive();
			assertThat(lines.subList(0, end))
				.filteredOn((line) -> line.startsWith("io.lockstarter.") && !line.startsWith("io.lockstarter.proof."))
				.hasSizeBetween(CLASSES / 2, CLASSES);
			assertThat(lines.subList(0, end)).filteredOn((line) -> line.startsWith(StartUpApplication.BEAN))
				.hasSizeBetween(BEANS / 2, BEANS);
			assertThat(lines).contains(StartUpApplication.END);
		}
	}

}
