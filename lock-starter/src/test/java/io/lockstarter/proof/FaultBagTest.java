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
