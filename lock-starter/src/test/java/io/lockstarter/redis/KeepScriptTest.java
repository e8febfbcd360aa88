// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how locks are kept without a holder.
 */
class KeepScriptTest {

	private static final Duration REST = Duration.ofHours(1);

	private static RedisServer server;

	private static TestStore store;

	private final String key = "keep-" + UUID.randomUUID();

	private final String lock = "{lock}lock:" + this.key;

	@BeforeAll
	static void start() {
		server = RedisServers.start("--maxmemory-policy", "noeviction");
		store = new TestStore(server);
	}

	@AfterAll
	static void stop() {
		store.close();
		server.close();
	}

	@Test
	void acquisitionsAndRenewalsThatCameTooLateChangeNothing() {
		store.take(this.key, "a:1");
		assertThat(keep("a:1")).isTrue();
		assertThat(store.findBusy(this.key, "a:1", true).holder()).isEqualTo("a:1");
		assertThat(store.renew(this.key, "a:1")).isFalse();
		assertThat(store.release(this.key, "a:1")).isFalse();
		assertThat(rest()).isGreaterThan(REST.minusMinutes(1));
	}

	@Test
	void itStaysBusyForOthersAndForWhoComesWithIt() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "b:1", true);
		assertThat(keep("a:1")).isTrue();
		Busy busy = store.findBusy(this.key, "b:1", true);
		assertThat(busy.holder()).isEqualTo("a:1");
		assertThat(busy.remaining()).isGreaterThan(REST.minusMinutes(1));
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1~");
	}

	@Test
	void itIsKeptAnewByWhoLeftIt() {
		store.take(this.key, "a:1");
		keep("a:1");
		store.redis().pexpire(this.lock, 10_000);
		assertThat(keep("a:1")).isTrue();
		assertThat(rest()).isGreaterThan(REST.minusMinutes(1));
		assertThat(keep("a:2")).isFalse();
		store.redis().del(this.lock);
		assertThat(keep("a:1")).isFalse();
		assertThat(store.redis().exists(this.lock)).isZero();
	}

	@Test
	void itIsDescribedByWhoLeftItAndFreeByForce() {
		store.take(this.key, "a:1");
		keep("a:1");
		assertThat(value(store.store().inspect(this.key)).lock().ownerIds()).containsExactly("a:1");
		assertThat(value(store.store().forceRelease(this.key, "a:1"))).isTrue();
		store.take(this.key, "b:1");
	}

	@Test
	void itNeedsNoMemory() {
		store.take(this.key, "a:1");
		store.redis().configSet("maxmemory", "100kb");
		try {
			assertThat(keep("a:1")).isTrue();
		}
		finally {
			store.redis().configSet("maxmemory", "0");
		}
	}

	@Test
	void itCostsThreeCommands() {
		store.take(this.key, "a:1");
		Map<String, Integer> calls = store.callsDuring(() -> keep("a:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "pexpire", 1, "set", 1));
	}

	@Test
	void itCostsMoreIfOthersWait() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "b:1", true);
		Map<String, Integer> calls = store.callsDuring(() -> keep("a:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "pexpire", 1, "set", 1, "zrange", 1, "publish", 1));
	}

	private Duration rest() {
		return Duration.ofMillis(store.redis().pttl(this.lock));
	}

	private boolean keep(String owner) {
		return value(store.store().keep(new Renew(this.key, owner, REST)));
	}

}
