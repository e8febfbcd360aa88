// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the policy of retention remembers of very many keys. What it decides for one key
 * is tested with a whole engine.
 */
class RetentionPolicyTest {

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final RetentionPolicy policy = new RetentionPolicy();

	@Test
	void noMoreThanTheMostAreRetained() {
		for (int i = 0; i < RetentionPolicy.MOST; i++) {
			useOnce("k" + i, 0);
			assertThat(useAgain("k" + i, 0)).isTrue();
		}
		useOnce("one more", 0);
		assertThat(useAgain("one more", 0)).isFalse();
		assertThat(this.policy.count()).isEqualTo(RetentionPolicy.MOST);
		this.policy.end();
		assertThat(useAgain("one more", 0)).isTrue();
	}

	@Test
	void keysThatAreUsedOnceLeaveTheUsesOfOthersAlone() {
		for (int i = 0; i < RetentionPolicy.MOST; i++) {
			useOnce("k" + i, 0);
		}
		for (int i = 0; i < 100; i++) {
			useOnce("once" + i, 0);
		}
		assertThat(useAgain("once99", 0)).as("there was no room for it").isFalse();
		assertThat(useAgain("k0", 0)).isTrue();
		useOnce("another", 0);
		assertThat(useAgain("another", 0)).as("in the place of it").isTrue();
	}

	@Test
	void usesThatAreOverLeaveRoomForOthers() {
		for (int i = 0; i < RetentionPolicy.MOST; i++) {
			useOnce("k" + i, 0);
		}
		useOnce("late", 2 * SECOND);
		assertThat(useAgain("late", 2 * SECOND)).isTrue();
	}

	@Test
	void pausesOfVeryManyKeysAreForgotten() {
		for (int i = 0; i <= RetentionPolicy.MOST; i++) {
			this.policy.recalled("k" + i, 0, SECOND, 0);
		}
		assertThat(handOn("k" + RetentionPolicy.MOST)).as("paused").isFalse();
		assertThat(handOn("k0")).as("forgotten").isTrue();
	}

	private void useOnce(String key, long now) {
		assertThat(use(key, now)).isFalse();
	}

	private boolean useAgain(String key, long now) {
		return use(key, now + 1);
	}

	private boolean handOn(String key) {
		Ownership released = ownership(key, 0);
		var unused = released.takeToken();
		return this.policy.begin(key, released, SECOND, 0);
	}

	private boolean use(String key, long now) {
		return this.policy.begin(key, ownership(key, now), now + SECOND, now);
	}

	private static Ownership ownership(String key, long now) {
		Acquire command = new Acquire(key, "a", "a:01", Duration.ofSeconds(30), true, 8, true, LockMode.EXCLUSIVE);
		Ownership released = new Ownership(command, 0.01, now, new Acquired(1, 8, false), now);
		var unused = released.takeToken();
		return released;
	}

}
