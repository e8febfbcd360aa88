// SPDX-License-Identifier: Apache-2.0
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
