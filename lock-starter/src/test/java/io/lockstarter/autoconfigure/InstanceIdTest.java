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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceIdTest {

	@ParameterizedTest
	@CsvSource({ "orders,orders", "My Shop!,my-shop", "a:b,a-b", "Zürich,z-rich", "'  ',app", "!!,app" })
	void nameOfTheApplicationIsReducedToWhatAnIdMayContain(String application, String expected) {
		assertThat(InstanceId.create(application))
			.matches(expected + "-" + ProcessHandle.current().pid() + "-[0-9a-f]{16}");
	}

	@Test
	void applicationWithoutANameIsCalledApp() {
		assertThat(InstanceId.create(null)).startsWith("app-");
	}

	@Test
	void longNameIsCut() {
		assertThat(InstanceId.create("x".repeat(500))).hasSizeLessThan(120);
	}

	@Test
	void noTwoRegistriesHaveTheSameId() {
		assertThat(InstanceId.create("orders")).isNotEqualTo(InstanceId.create("orders"));
	}

}
