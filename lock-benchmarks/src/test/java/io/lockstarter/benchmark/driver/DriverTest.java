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
package io.lockstarter.benchmark.driver;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DriverTest {

	@Test
	void contendersTakeTurnsThereAndBack() {
		List<String> contenders = List.of("one", "two", "three");
		assertThat(Driver.turns(contenders, 1)).containsExactly("one", "two", "three");
		assertThat(Driver.turns(contenders, 2)).containsExactly("three", "two", "one");
		assertThat(Driver.turns(contenders, 3)).containsExactly("one", "two", "three");
	}

}
