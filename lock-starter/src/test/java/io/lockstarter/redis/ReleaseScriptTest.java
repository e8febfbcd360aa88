// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how locks are given back: what the script leaves in Redis, and what it costs.
 */
class ReleaseScriptTest {

	private static RedisServer server;

	private static TestStore store;

	private static Recorder next;

	private final String key = "release-" + UUID.randomUUID();

	private final String lock = "{lock}lock:" + this.key;

	private final String queue = "{lock}queue:" + this.key;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		store = new TestStore(server);
		next = store.listen("next");
	}

	@AfterAll
	static void stop() {
		store.close();
		server.close();
	}

	@Test
	void releasedLockLeavesNothing() {
		store.take(this.key, "a:1");
		assertThat(store.release(this.key, "a:1")).isTrue();
		assertThat(store.keys("*" + this.key + "*")).isEmpty();
	}

	@Test
	void releaseByAnotherOwnerIdChangesNothing() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "next:1", true);
		assertThat(store.release(this.key, "a:2")).isFalse();
		assertThat(value(store.release(this.key, "b:1", true))).isFalse();
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("next");
	}

	@Test
	void releasedLockIsReservedForTheNextForAMoment() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "next:1", true);
		assertThat(store.release(this.key, "a:1")).isTrue();
		assertThat(store.redis().get(this.lock)).isEqualTo("!next");
		assertThat(store.redis().pttl(this.lock)).isBetween(1L, 1_000L);
		next.awaitEvent("reserved " + this.key);
		TestStore.soon().until(() -> store.redis().exists(this.lock) == 0);
	}

	@Test
	void deadInstancesAreSkippedAndLeaveTheQueue() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "dead:1", true);
		store.findBusy(this.key, "gone:1", true);
		store.findBusy(this.key, "next:1", true);
		store.findBusy(this.key, "last:1", true);
		store.release(this.key, "a:1");
		assertThat(store.redis().get(this.lock)).isEqualTo("!next");
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("last");
	}

	/**
	 * A tool that looks at all messages gets those for instances that are gone, too.
	 */
	@Test
	void whoSubscribesToEverythingDoesNotStandForTheDead() {
		RedisClient client = RedisClient.create(RedisServers.clientResources(),
				RedisURI.create(server.host(), server.port()));
		try (StatefulRedisPubSubConnection<String, String> tool = client.connectPubSub()) {
			tool.sync().psubscribe("*");
			store.take(this.key, "a:1");
			store.findBusy(this.key, "dead:1", true);
			store.findBusy(this.key, "next:1", true);
			store.release(this.key, "a:1");
			assertThat(store.redis().get(this.lock)).isEqualTo("!next");
		}
		finally {
			client.shutdown();
		}
	}

	@Test
	void requeuedInstanceStandsAtTheEndAndTheQueueExpires() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "next:1", true);
		store.findBusy(this.key, "last:1", true);
		assertThat(value(store.release(this.key, "a:1", true))).isTrue();
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("last", "a");
		assertThat(store.redis().pttl(this.queue)).isPositive();
	}

	@Test
	void requeuedInstanceAloneMakesAQueueThatExpires() {
		try (TestStore silent = TestStore.withAcl(server, "silent", "-publish")) {
			silent.take(this.key, "a:1");
			assertThat(value(silent.release(this.key, "a:1", true))).isTrue();
			assertThat(store.redis().exists(this.lock)).isZero();
			assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("a");
			assertThat(store.redis().pttl(this.queue)).isPositive();
		}
	}

	@Test
	void releaseCountsAlthoughPublishIsDeniedAndTheNextKeepsItsPlace() {
		try (TestStore silent = TestStore.withAcl(server, "silent", "-publish")) {
			silent.take(this.key, "a:1");
			silent.findBusy(this.key, "next:1", true);
			silent.findBusy(this.key, "last:1", true);
			Double since = store.redis().zscore(this.queue, "next");
			assertThat(silent.release(this.key, "a:1")).isTrue();
			assertThat(store.redis().exists(this.lock)).isZero();
			assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("next", "last");
			assertThat(store.redis().zscore(this.queue, "next")).isEqualTo(since);
		}
	}

	@Test
	void releaseCountsAlthoughTheChannelsAreForbidden() {
		try (TestStore silent = TestStore.withAcl(server, "channelless", "resetchannels")) {
			silent.take(this.key, "a:1");
			silent.findBusy(this.key, "next:1", true);
			assertThat(silent.release(this.key, "a:1")).isTrue();
			assertThat(store.redis().exists(this.lock)).isZero();
		}
	}

	@Test
	void lockThatCannotBeReservedIsFree() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "next:1", true);
		try (TestStore other = TestStore.withAcl(server, "setless", "-set")) {
			assertThat(other.release(this.key, "a:1")).isTrue();
		}
		assertThat(store.redis().exists(this.lock)).isZero();
		next.awaitEvent("reserved " + this.key);
	}

	@Test
	void refusalToLookAtTheLockIsNotTakenForALoss() {
		store.take(this.key, "a:1");
		try (TestStore blind = TestStore.withAcl(server, "blind", "-get")) {
			LockStoreException failure = failure(blind.release(this.key, "a:1", false));
			assertThat(failure).hasMessageContaining("refused to release " + this.key);
			assertThat(failure.isOutcomeUnknown()).isFalse();
			assertThat(failure(blind.store().renew(List.of(new Renew(this.key, "a:1", TestStore.TTL)))))
				.hasMessageContaining("refused to renew " + this.key);
		}
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1");
	}

	@Test
	void keyOfAnotherTypeIsNotHeldAndLeftAlone() {
		store.redis().lpush(this.lock, "theirs");
		assertThat(store.release(this.key, "a:1")).isFalse();
		value(store.store().leave(this.key, "a"));
		assertThat(store.redis().lrange(this.lock, 0, -1)).containsExactly("theirs");
	}

	@Test
	void queueOfAnotherTypeDoesNotKeepALockFromBeingReleased() {
		store.take(this.key, "a:1");
		store.redis().set(this.queue, "theirs");
		assertThat(value(store.release(this.key, "a:1", true))).isTrue();
		assertThat(store.redis().exists(this.lock)).isZero();
		assertThat(store.redis().get(this.queue)).isEqualTo("theirs");
	}

	@Test
	void leavingInstanceIsOutOfTheQueueAndTheHolderStays() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "b:1", true);
		store.findBusy(this.key, "c:1", true);
		value(store.store().leave(this.key, "b"));
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("c");
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
	}

	@Test
	void leavingInstancePassesItsReservationOn() {
		store.redis().psetex(this.lock, 5_000, "!b");
		store.redis().zadd(this.queue, 16, "b");
		store.redis().zadd(this.queue, 32, "next");
		value(store.store().leave(this.key, "b"));
		assertThat(store.redis().get(this.lock)).isEqualTo("!next");
		assertThat(store.redis().exists(this.queue)).isZero();
	}

	@Test
	void leavingInstanceDoesNotTouchTheReservationOfAnother() {
		store.redis().psetex(this.lock, 5_000, "!c");
		value(store.store().leave(this.key, "b"));
		assertThat(store.redis().get(this.lock)).isEqualTo("!c");
	}

	@Test
	void releaseThatNobodyWaitsForCostsTwoCommands() {
		store.take(this.key, "a:1");
		Map<String, Integer> calls = store.callsDuring(() -> store.release(this.key, "a:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "del", 1));
	}

	@Test
	void releaseToTheNextCostsFiveCommands() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "next:1", true);
		Map<String, Integer> calls = store
			.callsDuring(() -> value(store.store().release(new Release(this.key, "a", "a:1", Queueing.NONE, 1, true))));
		assertThat(calls).isEqualTo(Map.of("get", 1, "zpopmin", 1, "pubsub", 1, "publish", 1, "set", 1));
	}

}
