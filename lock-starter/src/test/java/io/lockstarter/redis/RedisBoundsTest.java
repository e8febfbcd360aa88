// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.testkit.HeldCollections;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No collection of the store in Redis grows with the commands that were sent, whatever
 * became of them.
 */
class RedisBoundsTest {

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private final RedisLockStore store = this.redis.store(this.platform);

	@Test
	void nothingIsLeftOfCommandsThatEnded() {
		assertThat(this.store.open(new ManualRedis.Deaf())).isCompleted();
		Map<String, Integer> before = sizes();
		for (int i = 0; i < 100; i++) {
			ask(i);
			answer();
			ask(i);
			this.redis.nextCall().refuse("TRYAGAIN Multiple keys request during rehashing of slot");
			this.platform.pass(Duration.ofMillis(100));
			answer();
			ask(i);
			this.redis.nextCall().refuse("NOSCRIPT No matching script. Please use EVAL.");
			answer();
			SimulatedConnection connection = this.redis.connections().get(0);
			connection.holdWrites();
			ask(i);
			acquire(i).cancel(false);
			connection.write();
			answer();
			ask(i);
			connection.cut();
			this.platform.pass(Duration.ofMillis(100));
			answer();
			ask(i);
			this.redis.nextCall().refuse("READONLY You can't write against a read only replica.");
			this.platform.pass(Duration.ofSeconds(3));
			answer();
		}
		assertThat(sizes()).isEqualTo(before);
		this.store.close();
		assertThat(this.redis.connections()).isEmpty();
	}

	/**
	 * Return the sizes of all that is a part of the store; its scripts are those of all
	 * stores.
	 */
	private Map<String, Integer> sizes() {
		Map<String, Integer> sizes = new TreeMap<>(HeldCollections.sizes(this.store));
		assertThat(sizes).containsKeys("Backlog.queue", "Link.sent", "ReplicaWait.kept",
				"SharedConnections.connections");
		sizes.remove("StoreScripts.ALL");
		return sizes;
	}

	private void ask(int i) {
		var unused = acquire(i);
	}

	private CompletableFuture<AcquireReply> acquire(int number) {
		return this.store
			.acquire(new Acquire("key" + number, "app", "app:" + number, Duration.ofSeconds(30), false, 1));
	}

	private void answer() {
		while (this.redis.callCount() > 0) {
			this.redis.nextCall().succeed();
		}
	}

}
