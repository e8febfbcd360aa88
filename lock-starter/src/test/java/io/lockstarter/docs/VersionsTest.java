// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The versions that {@code docs/support.md} says are tested are those that are.
 */
class VersionsTest {

	private static final Pattern SPRING_BOOT = Pattern.compile("<spring-boot\\.version>(.*?)</spring-boot\\.version>");

	@ParameterizedTest
	@ValueSource(strings = { "../pom.xml", "../lock-starter-boot35/pom.xml" })
	void versionOfSpringBootIsTheOneThatIsTested(String pom) throws IOException {
		Matcher version = SPRING_BOOT.matcher(Files.readString(Path.of(pom)));
		assertThat(version.find()).isTrue();
		assertThat(Files.readString(Path.of("../docs/support.md"))).contains("| Spring Boot " + version.group(1));
	}

}
