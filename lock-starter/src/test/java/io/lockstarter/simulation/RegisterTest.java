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
package io.lockstarter.simulation;

import java.util.List;

import io.lockstarter.simulation.Register.Write;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RegisterTest {

	@Test
	void chainOfValuesIsRight() {
		assertThat(Register.check(List.of(write(0, 1, 0, 1), write(1, 2, 2, 3), write(2, 7, 4, 9)))).isNull();
	}

	@Test
	void lostUpdateIsFound() {
		assertThat(Register.check(List.of(write(0, 1, 0, 2), write(0, 2, 1, 3)))).contains("lost");
	}

	@Test
	void updateIsLostWhereThatMayBe() {
		assertThat(Register.check(List.of(new Write(0, 1, 0, 2, false), write(0, 2, 1, 3)))).isNull();
	}

	@Test
	void valueThatIsWrittenTwiceIsFound() {
		assertThat(Register.check(List.of(write(0, 1, 0, 1), write(1, 1, 2, 3)))).contains("twice");
	}

	@Test
	void chainThatTimeDoesNotAllowIsFound() {
		assertThat(Register.check(List.of(write(0, 1, 5, 6), write(1, 2, 2, 3)))).contains("no order");
	}

	@Test
	void fencedRegisterRefusesTokensSmallerThanThatOfAReader() {
		Register register = new Register(true);
		assertThat(register.read(1)).isZero();
		assertThat(register.read(2)).isZero();
		assertThat(register.write(1, 0, 1, 0, 1, true)).isFalse();
		assertThat(register.write(2, 0, 2, 0, 1, true)).isTrue();
		assertThat(register.read(1)).isEqualTo(-1);
		assertThat(register.check()).isNull();
		assertThat(register.count()).isOne();
	}

	private static Write write(long read, long written, long readAt, long writtenAt) {
		return new Write(read, written, readAt, writtenAt, true);
	}

}
