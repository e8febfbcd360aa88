// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.HeldCollections;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No collection of a quorum grows without a bound with the keys that are used.
 */
@Timeout(120)
class QuorumBoundsTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

	private final ManualTimer timer = new ManualTimer();

	private final List<ScriptedNode> nodes = Stream.generate(() -> new ScriptedNode(this.timer, 0)).limit(3).toList();

	private final QuorumLockStore store = new QuorumLockStore(
			this.nodes.stream().map((node) -> new QuorumNode(node, NODE_TIMEOUT)).toList(), Duration.ofMinutes(5),
			Duration.ofMillis(100), this.timer);

	@Test
	void nothingIsLeftOfKeysThatWereUsed() {
		this.store.open(new Deaf()).join();
		for (int i = 0; i < 300; i++) {
			String key = "key" + i;
			this.nodes.get(2).down = true;
			acquire(key, "a:1", LockMode.EXCLUSIVE);
			this.nodes.get(2).down = false;
			acquire(key, "b:1", LockMode.EXCLUSIVE);
			renew(key, "a:1");
			acquire(key, "a:1", LockMode.EXCLUSIVE);
			release(key, "a:1");
			acquire(key, "a:2", LockMode.SHARED);
			this.nodes.get(1).hanging = true;
			release(key, "a:2");
			acquire(key, "a:3", LockMode.EXCLUSIVE);
			this.nodes.get(1).cut();
			release(key, "a:3");
			this.nodes.forEach(ScriptedNode::reconnect);
		}
		this.timer.pass(Duration.ofMinutes(10));
		acquire("last", "a:4", LockMode.EXCLUSIVE);
		Map<String, Integer> sizes = sizes();
		assertThat(sizes).containsEntry("HeldKeys.keys", 1).containsEntry("KeyOrder.last", 0);
		sizes.values().removeIf((size) -> size <= this.nodes.size() + 1);
		assertThat(sizes).isEmpty();
	}

	@Test
	void keysWhoseHoldersAreGoneAreForgotten() {
		for (int i = 0; i < 3_000; i++) {
			acquire("key" + i, "a:" + i, LockMode.EXCLUSIVE);
			if (i % 500 == 0) {
				this.timer.pass(TTL);
			}
		}
		assertThat(sizes().get("HeldKeys.keys")).isLessThan(2_000);
	}

	private Map<String, Integer> sizes() {
		return new TreeMap<>(HeldCollections.sizes(this.store));
	}

	private void acquire(String key, String owner, LockMode mode) {
		var unused = this.store.acquire(new Acquire(key, owner.substring(0, 1), owner, TTL, false, 1, false, mode));
	}

	private void renew(String key, String owner) {
		var unused = this.store.renew(List.of(new Renew(key, owner, TTL)));
	}

	private void release(String key, String owner) {
		var unused = this.store.release(new Release(key, owner.substring(0, 1), owner, false));
	}

	private static final class Deaf implements ConnectionListener {

		@Override
		public void reconnected() {
		}

		@Override
		public void reordered(int partition, Duration ago) {
		}

	}

}
