// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;

import io.lockstarter.store.LockStore.Acquire;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that an owner id has one time after the other.
 */
class HeldKeysTest {

	private final HeldKeys keys = new HeldKeys();

	@Test
	void lateNewsOfTheHoldBeforeDoNotEndTheNext() {
		Acquire command = new Acquire("k", "a", "a:1", Duration.ofSeconds(1), false, 10);
		HeldKey first = this.keys.add(command, 3, 3, 0);
		this.keys.remove("k", "a:1");
		HeldKey second = this.keys.add(command, 5, 5, 0);
		this.keys.remove("k", "a:1", first);
		assertThat(this.keys.get("k", "a:1")).isSameAs(second);
		assertThat(second.isOver(0)).isFalse();
		this.keys.remove("k", "a:1", second);
		assertThat(this.keys.get("k", "a:1")).isNull();
		assertThat(second.isOver(0)).isTrue();
	}

}
