// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class FaultBagTest {

	private final FaultBag<String> bag = new FaultBag<>(List.of("cut", "kill", "stop"), new Random(1));

	@Test
	void eachFaultComesBeforeAnyComesAgain() {
		for (int round = 0; round < 2; round++) {
			List<String> dealt = new ArrayList<>();
			for (int i = 0; i < 3; i++) {
				assertThat(this.bag.wasEmptied()).isEqualTo(round > 0);
				dealt.add(this.bag.next());
			}
			assertThat(dealt).containsExactlyInAnyOrder("cut", "kill", "stop");
			assertThat(this.bag.wasEmptied()).isTrue();
		}
	}

	@Test
	void faultThatCouldNotHappenComesAgain() {
		this.bag.next();
		this.bag.next();
		String impossible = this.bag.next();
		this.bag.putBack(impossible);
		assertThat(this.bag.wasEmptied()).isFalse();
		assertThat(this.bag.next()).isEqualTo(impossible);
		assertThat(this.bag.wasEmptied()).isTrue();
	}

}
