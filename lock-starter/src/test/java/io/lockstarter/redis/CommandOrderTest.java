// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.connection.SimulatedConnection;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The order in which commands are sent again.
 */
class CommandOrderTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private final RedisLockStore store = this.redis.store(this.platform);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void commandsThatWerePutOffAreSentOverTheNextConnectionInTheirOrder() {
		List<String> keys = IntStream.range(0, 30).mapToObj((i) -> "key" + i).toList();
		assertThat(this.store.open(new ManualRedis.Deaf())).isCompleted();
		SimulatedConnection<?> first = this.redis.connections().get(0);
		first.holdWrites();
		keys.forEach(this::acquire);
		first.write();
		ManualRedis.Call call = this.redis.nextCall();
		assertThat(call.locked()).as("in one call").containsExactlyElementsOf(keys);
		call.refuse("TRYAGAIN the slot is being moved");
		first.cut();
		this.platform.pass(Duration.ofMillis(50));
		List<String> again = new ArrayList<>();
		while (this.redis.callCount() > 0) {
			again.addAll(this.redis.nextCall().locked());
		}
		assertThat(again).containsExactlyElementsOf(keys);
	}

	private void acquire(String key) {
		var unused = this.store.acquire(new Acquire(key, "app", "app:1", TTL, false, 1));
	}

}
