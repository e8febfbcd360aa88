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
