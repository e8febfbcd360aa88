// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.TTL;
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

	@Test
	void renewalOfTheOnlyReaderCostsAsMuch() {
		share("r:1", Duration.ofMinutes(1));
		Map<String, Integer> calls = store.callsDuring(() -> store.renew(this.key, "r:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "pexpire", 1));
	}

	@Test
	void renewalCostsAsMuchOnceTheOtherReadersHaveLeft() {
		share("r:1", Duration.ofMinutes(1));
		share("r:2", Duration.ofMinutes(3));
		share("r:3", Duration.ofMinutes(2));
		String readers = "{lock}readers:" + this.key;
		assertThat(store.release(this.key, "r:2")).isTrue();
		store.redis().zadd(readers, store.micros() / 1_000.0 - 1, "r:3");
		renewShared("r:1", 10, 10);
		assertThat(store.redis().exists(readers)).isZero();
		Map<String, Integer> calls = store.callsDuring(() -> store.renew(this.key, "r:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "pexpire", 1));
		assertThat(store.renew(this.key, "r:3")).isFalse();
		share("r:4", Duration.ofMinutes(20));
		renewShared("r:1", 5, 20);
		assertThat(store.release(this.key, "r:4")).isTrue();
		assertThat(store.release(this.key, "r:1")).isTrue();
		assertThat(store.redis().exists("{lock}lock:" + this.key, readers)).isZero();
	}

	@Test
	void renewalOfOneOfSeveralReadersCostsFiveCommandsAndTheTime() {
		share("r:1", Duration.ofMinutes(1));
		share("r:2", Duration.ofMinutes(2));
		Map<String, Integer> calls = store.callsDuring(() -> renew(new Renew(this.key, "r:2", TTL, true)));
		assertThat(calls).isEqualTo(Map.of("get", 1, "zrange", 1, "zadd", 1, "pexpireat", 2, "time", 1));
	}

	@Test
	void lockAndReadersExpireWithTheLastWhateverIsRenewed() {
		share("r:1", Duration.ofMinutes(10));
		share("r:2", Duration.ofMinutes(20));
		share("r:3", Duration.ofMinutes(30));
		assertThatLastIsIn(30);
		renewShared("r:1", 40, 40);
		renewShared("r:1", 5, 30);
		renewShared("r:2", 25, 30);
		renewShared("r:3", 35, 35);
		renewShared("r:3", 15, 25);
		assertThat(store.release(this.key, "r:2")).isTrue();
		assertThatLastIsIn(15);
		assertThat(store.release(this.key, "r:1")).isTrue();
		renewShared("r:3", 10, 10);
		renewShared("r:3", 50, 50);
		assertThat(store.renew(this.key, "r:2")).isFalse();
		assertThatLastIsIn(50);
	}

	@Test
	void readerWhoseTimeIsOverIsNotRenewedAlthoughItIsStillThere() {
		share("r:1", Duration.ofMinutes(1));
		share("r:2", Duration.ofMinutes(2));
		String readers = "{lock}readers:" + this.key;
		store.redis().zadd(readers, store.micros() / 1_000.0 - 1, "r:1");
		assertThat(store.renew(this.key, "r:1")).isFalse();
		assertThat(value(store.store().inspect(this.key)).lock().ownerIds()).containsExactly("r:2");
		share("r:3", Duration.ofMinutes(1));
		assertThat(store.redis().zrange(readers, 0, -1)).containsExactly("r:3", "r:2");
	}

	private void share(String owner, Duration ttl) {
		assertThat(value(store.store()
			.acquire(new Acquire(this.key, "r", owner, ttl, Queueing.NONE, 1, false, LockMode.SHARED))))
			.isInstanceOf(Acquired.class);
	}

	private void renewShared(String owner, int minutes, int last) {
		assertThat(renew(new Renew(this.key, owner, Duration.ofMinutes(minutes), true))).containsExactly(true);
		assertThatLastIsIn(last);
	}

	private void assertThatLastIsIn(int minutes) {
		// there are no readers where there is only one
		assertThat(Stream.of("lock:", "readers:")
			.map((kind) -> "{lock}" + kind + this.key)
			.filter((key) -> key.contains("lock:") || store.redis().exists(key) == 1)
			.map(store.redis()::pttl))
			.allSatisfy((millis) -> assertThat(Duration.ofMillis(millis)).isBetween(Duration.ofMinutes(minutes - 1),
					Duration.ofMinutes(minutes)));
	}

	private Renew renewal(String suffix) {
		return new Renew(this.key + suffix, "a:1", Duration.ofHours(1));
	}

	private static List<Boolean> renew(Renew... commands) {
		return value(store.store().renew(List.of(commands)));
	}

}
