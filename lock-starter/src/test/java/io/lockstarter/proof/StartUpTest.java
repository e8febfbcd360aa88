// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the start of a service costs is above all the classes that are loaded, each lambda
 * expression included. A service with Redis and one annotated method loads so many more
 * than with an annotation that does nothing, those of the JDK and of Spring included, and
 * has so many bean definitions of ours, before the store is opened, which takes no time
 * of the start. Whoever needs more has to say so here.
 */
class StartUpTest {

	private static final int CLASSES = 205;

	// What newer JDKs make of lambda expressions when the first ones are used, JDK 17 has
	// in its archive.
	private static final int FORMS = (Runtime.version().feature() > 17) ? 35 : 0;

	private static final int BEANS = 22;

	private static final Path OURS = Path.of("classes");

	private static final Pattern NEEDED = Pattern.compile("(?<!\\.jar)$|/(spring-(aop|beans|boot|boot-autoconfigure"
			+ "|boot-data-[a-z]+|boot-netty|boot-persistence|boot-transaction|context|context-support|core|data-[a-z]+"
			+ "|expression|jcl|messaging|oxm|tx)|lettuce-core|netty-[a-z-]+|reactor-core|reactive-streams"
			+ "|micrometer-(commons|observation)|commons-logging|slf4j-api|logback-[a-z]+|jspecify|snakeyaml"
			+ "|jakarta.annotation-api|redis-authx-core)-[0-9][^/]*\\.jar$");

	@Test
	void fewClassesAndBeansMoreThanForAnAnnotationThatDoesNothing() {
		List<String> classPath = JvmProcess.classPath().stream().filter((jar) -> NEEDED.matcher(jar).find()).toList();
		List<String> withoutOurs = classPath.stream().filter((entry) -> !Path.of(entry).endsWith(OURS)).toList();
		int floor = loaded(least(StartUpFloor.class, withoutOurs));
		List<String> ours = least(StartUpApplication.class, classPath);
		assertThat(ours).filteredOn(StartUpTest::isLoaded).hasSizeBetween(floor + CLASSES / 2, floor + CLASSES + FORMS);
		assertThat(ours).filteredOn((line) -> line.startsWith(StartUpApplication.BEAN))
			.hasSizeBetween(BEANS / 2, BEANS);
	}

	private static boolean isLoaded(String line) {
		return line.contains(" source: ");
	}

	private static int loaded(List<String> lines) {
		return (int) lines.stream().filter(StartUpTest::isLoaded).count();
	}

	/**
	 * Start a service twice, as the JVM makes some thirty classes more for lambda
	 * expressions once in ten starts on a busy machine.
	 * @return what it says when it loads fewer classes
	 */
	private static List<String> least(Class<?> main, List<String> classPath) {
		return Stream.of(start(main, classPath), start(main, classPath))
			.min(Comparator.comparingInt(StartUpTest::loaded))
			.orElseThrow();
	}

	/**
	 * Start a service.
	 * @return what it says before the last step
	 */
	private static List<String> start(Class<?> main, List<String> classPath) {
		try (JvmProcess jvm = JvmProcess.start(classPath, List.of("-Xlog:class+load=info:stdout:none"), main,
				"--spring.main.banner-mode=off", "--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=1")) {
			List<String> lines = jvm.awaitRest();
			int end = lines.indexOf(StartUpApplication.STARTED);
			assertThat(end).as(lines.toString()).isPositive();
			assertThat(lines).contains(StartUpApplication.END);
			return lines.subList(0, end);
		}
	}

}
