// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how locks are renewed: what the script leaves in Redis, and what it costs.
 */
class RenewScriptTest {

	private static RedisServer server;

	private static TestStore store;

	private final String key = "renew-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		store = new TestStore(server);
	}

	@AfterAll
	static void stop() {
		store.close();
		server.close();
	}

	@Test
	void eachLockGetsItsOwnTtl() {
		store.take(this.key + 1, "a:1");
		store.take(this.key + 2, "a:2");
		assertThat(renew(new Renew(this.key + 1, "a:1", Duration.ofHours(1)),
				new Renew(this.key + 2, "a:2", Duration.ofHours(2))))
			.containsExactly(true, true);
		assertThat(Duration.ofMillis(store.redis().pttl("{lock}lock:" + this.key + "1")))
			.isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
		assertThat(Duration.ofMillis(store.redis().pttl("{lock}lock:" + this.key + "2")))
			.isBetween(Duration.ofMinutes(119), Duration.ofMinutes(120));
	}

	@Test
	void lockThatIsNotHeldDoesNotKeepTheOthersFromBeingRenewed() {
		store.take(this.key + "held", "a:1");
		store.take(this.key + "lost", "b:1");
		store.redis().lpush("{lock}lock:" + this.key + "list", "theirs");
		assertThat(renew(renewal("missing"), renewal("list"), renewal("lost"), renewal("held"))).containsExactly(false,
				false, false, true);
		assertThat(store.redis().lrange("{lock}lock:" + this.key + "list", 0, -1)).containsExactly("theirs");
	}

	@Test
	void renewalCostsTwoCommandsForALock() {
		store.take(this.key, "a:1");
		Map<String, Integer> calls = store.callsDuring(() -> store.renew(this.key, "a:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "pexpire", 1));
	}

	private Renew renewal(String suffix) {
		return new Renew(this.key + suffix, "a:1", Duration.ofHours(1));
	}

	private static List<Boolean> renew(Renew... commands) {
		return value(store.store().renew(List.of(commands)));
	}

}
