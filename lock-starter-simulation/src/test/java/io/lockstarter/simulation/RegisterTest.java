// SPDX-License-Identifier: Apache-2.0
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
