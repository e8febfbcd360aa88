// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.redis.connection.BatchScript;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.TTL;
import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how locks are taken: what the script leaves in Redis, and what it costs.
 */
class AcquireScriptTest {

	private static RedisServer server;

	private static TestStore store;

	private final String key = "acquire-" + UUID.randomUUID();

	private final String lock = "{lock}lock:" + this.key;

	private final String fence = "{lock}fence";

	private final String queue = "{lock}queue:" + this.key;

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

	@BeforeEach
	void forgetTheFence() {
		store.redis().del(this.fence);
	}

	@Test
	void takenLockHoldsTheOwnerIdAndExpires() {
		store.take(this.key, "a:1");
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1");
		assertThat(store.redis().pttl(this.lock)).isBetween(TTL.toMillis() - 5_000, TTL.toMillis());
		assertThat(store.keys("*" + this.key + "*")).containsExactly(this.lock);
	}

	@Test
	void whoHasOnlyTheLockAndAsksAgainLeavesTheMarkThatOthersWait() {
		assertThat(alone("a:1")).isInstanceOfSatisfying(Acquired.class,
				(first) -> assertThat(first.contended()).isFalse());
		assertThat(alone("a:1")).isInstanceOfSatisfying(Acquired.class,
				(again) -> assertThat(again.contended()).isFalse());
		store.findBusy(this.key, "b:1", true);
		assertThat(alone("a:1")).isInstanceOfSatisfying(Acquired.class,
				(again) -> assertThat(again.contended()).isTrue());
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
		assertThat(store.redis().pttl(this.lock)).isBetween(TTL.toMillis() - 5_000, TTL.toMillis());
	}

	@Test
	void whoHasOnlyTheLockTakesForGrantedThatOthersWaitForOneThatIsReserved() {
		store.redis().psetex(this.lock, 5_000, "!a");
		assertThat(alone("a:1")).isInstanceOfSatisfying(Acquired.class,
				(acquired) -> assertThat(acquired.contended()).isTrue());
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
	}

	@Test
	void whoHasOnlyTheLockFindsOneBusyThatSeveralShare() {
		for (String owner : List.of("r:1", "s:1")) {
			value(store.store()
				.acquire(new Acquire(this.key, owner.substring(0, 1), owner, TTL, false, 1, false, LockMode.SHARED)));
		}
		assertThat(alone("a:1")).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.holder()).isEqualTo("r:1"));
	}

	private AcquireReply alone(String owner) {
		return value(store.store().acquire(new Acquire(this.key, "a", owner, TTL, false, 8, false)));
	}

	@Test
	void fenceHoldsTheLastTokenAndExpiresWithTheRetention() {
		Acquired acquired = store.take(this.key, "a:1");
		assertThat(store.redis().get(this.fence)).isEqualTo(String.valueOf(acquired.lastToken()));
		assertThat(Duration.ofMillis(store.redis().pttl(this.fence))).isBetween(Duration.ofMinutes(59),
				Duration.ofHours(1));
	}

	@Test
	void fenceThatIsAheadOfTheClockIsRememberedUntilTheClockHasCaughtUp() {
		store.redis().set(this.fence, Long.toString(store.micros() + Duration.ofHours(5).toNanos() / 1000));
		store.take(this.key, "a:1");
		assertThat(store.redis().pttl(this.fence)).isGreaterThan(Duration.ofHours(4).toMillis());
	}

	@Test
	void oneFenceServesAllLocks() {
		Acquired before = store.take(this.key, "a:1");
		for (int i = 0; i < 100; i++) {
			Acquired next = store.take(this.key + i, "a:1");
			assertThat(next.firstToken()).isGreaterThan(before.lastToken());
			before = next;
		}
		assertThat(store.keys("*fence*")).containsExactly(this.fence);
	}

	@Test
	void tokensComeInBlocksThatStartAheadOfTheServersClockInMicroseconds() {
		long leap = BatchScript.TAKEOVER.toNanos() / 1000;
		long before = store.micros();
		Acquired acquired = store.take(this.key, "a:1");
		assertThat(acquired.firstToken()).isBetween(before + leap, store.micros() + leap);
		assertThat(acquired.lastToken()).isEqualTo(acquired.firstToken() + 9_999);
	}

	@Test
	void tokensFollowTheClockOnceItIsAheadOfTheFence() {
		store.redis().set(this.fence, "1000");
		long before = store.micros();
		assertThat(store.take(this.key, "a:1").firstToken()).isBetween(before, store.micros());
	}

	@Test
	void tokensGoOnExactlyWhereTheFenceIsAheadOfTheClock() {
		store.redis().set(this.fence, "8888888888888888");
		Acquired acquired = store.take(this.key, "a:1");
		assertThat(acquired.firstToken()).isEqualTo(8_888_888_888_888_889L);
		assertThat(acquired.lastToken()).isEqualTo(8_888_888_888_898_888L);
		assertThat(store.redis().get(this.fence)).isEqualTo("8888888888898888");
	}

	@Test
	void tokensOfQuickAcquisitionsDoNotOverlap() {
		Acquired before = store.take(this.key, "a:1");
		for (int i = 0; i < 100; i++) {
			Acquired next = store.take(this.key, "a:1");
			assertThat(next.firstToken()).isGreaterThan(before.lastToken());
			before = next;
		}
	}

	@Test
	void tokensGrowAlthoughTheServerForgotEverything() {
		Acquired before = store.take(this.key, "a:1");
		// A block is ten milliseconds' worth of tokens.
		TestStore.soon().until(() -> store.micros() + BatchScript.TAKEOVER.toNanos() / 1000 > before.lastToken());
		store.redis().flushall();
		assertThat(store.take(this.key, "a:1").firstToken()).isGreaterThan(before.lastToken());
	}

	@ParameterizedTest
	@ValueSource(strings = { "nonsense", "9223372036854775807", "9000000000000001" })
	void fenceThatNoTokenCanFollowFailsTheAcquisitionAndIsLeftAlone(String content) {
		store.redis().set(this.fence, content);
		LockStoreException failure = failure(store.acquire(this.key, "a:1", false));
		assertThat(failure).hasMessageContaining("no token can follow what the fence holds")
			.hasMessageContaining(content);
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(failure.isTransient()).isFalse();
		assertThat(store.redis().exists(this.lock)).isZero();
		assertThat(store.redis().get(this.fence)).isEqualTo(content);
	}

	@Test
	void whatTheFenceHoldsCannotForgeALineOfALog() {
		store.redis().set(this.fence, "x\n2026 ERROR admin: FORGED");
		LockStoreException failure = failure(store.acquire(this.key, "a:1", false));
		assertThat(failure.getMessage()).contains("x\\u000a2026 ERROR").doesNotContain("\n");
		assertThat(failure.getCause()).isNotNull();
		assertThat(failure.getCause().getMessage()).contains("x\\u000a2026 ERROR").doesNotContain("\n");
	}

	@Test
	void fenceOfAnotherTypeFailsTheAcquisitionWhichIsUndone() {
		store.redis().lpush(this.fence, "theirs");
		LockStoreException failure = failure(store.acquire(this.key, "a:1", false));
		assertThat(failure).hasMessageContaining("WRONGTYPE").hasMessageContaining(this.key);
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(store.redis().exists(this.lock)).isZero();
		assertThat(store.redis().lrange(this.fence, 0, -1)).containsExactly("theirs");
	}

	@Test
	void keyOfAnotherTypeIsLeftAlone() {
		store.redis().lpush(this.lock, "theirs");
		LockStoreException failure = failure(store.acquire(this.key, "a:1", true));
		assertThat(failure).hasMessageContaining("refused to acquire " + this.key)
			.hasMessageContaining("holds something else than a lock, which is left alone")
			.hasMessageContaining("WRONGTYPE");
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(store.redis().lrange(this.lock, 0, -1)).containsExactly("theirs");
		assertThat(store.redis().exists(this.fence, this.queue)).isZero();
	}

	@Test
	void queueOfAnotherTypeDoesNotKeepAnybodyFromAFreeLock() {
		store.redis().set(this.queue, "theirs");
		assertThat(store.take(this.key, "a:1").contended()).isFalse();
		assertThat(failure(store.acquire(this.key, "b:1", true))).hasMessageContaining("WRONGTYPE");
		assertThat(store.findBusy(this.key, "b:1", false).holder()).isEqualTo("a:1");
		assertThat(store.redis().get(this.queue)).isEqualTo("theirs");
	}

	@Test
	void foreignStringIsBusyAndLeftAlone() {
		store.redis().set(this.lock, "theirs");
		Busy busy = store.findBusy(this.key, "a:1", true);
		assertThat(busy.holder()).isEqualTo("theirs");
		assertThat(busy.remaining()).isNull();
		assertThat(store.release(this.key, "a:1")).isFalse();
		assertThat(store.renew(this.key, "a:1")).isFalse();
		assertThat(store.redis().get(this.lock)).isEqualTo("theirs");
		assertThat(store.redis().pttl(this.lock)).isEqualTo(-1);
	}

	@Test
	void lockWithoutExpiryGetsOneWhenItsOwnerRepeatsItself() {
		store.redis().set(this.lock, "a:1");
		assertThat(store.findBusy(this.key, "b:1", false).remaining()).isNull();
		store.take(this.key, "a:1");
		assertThat(store.redis().pttl(this.lock)).isPositive();
	}

	@Test
	void lockThatStaysLongerThanAskedForSaysByHowMuchTheClockWasSetBack() {
		store.take(this.key, "a:1");
		assertThat(store.findBusy(this.key, "b:1", false).setBack()).isZero();
		store.redis().pexpire(this.lock, Duration.ofHours(1));
		assertThat(store.findBusy(this.key, "b:1", false).setBack()).as("a longer ttl").isZero();
		store.redis().set(this.fence, Long.toString(store.micros() + Duration.ofHours(1).toMillis() * 1000));
		Busy busy = store.findBusy(this.key, "b:1", true);
		assertThat(busy.setBack()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
		assertThat(busy.remaining()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
		assertThat(busy.holder()).isEqualTo("a:1");
	}

	@Test
	void holderWithSpacesIsKeptWhole() {
		store.redis().set(this.lock, "theirs, with spaces");
		assertThat(store.findBusy(this.key, "a:1", false).holder()).isEqualTo("theirs, with spaces");
	}

	@Test
	void lockReservedForAnotherInstanceIsBusyWithoutAHolder() {
		store.redis().psetex(this.lock, 5_000, "!b");
		Busy busy = store.findBusy(this.key, "a:1", false);
		assertThat(busy.holder()).isNull();
		assertThat(busy.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
	}

	@Test
	void instanceThatAcquiresAFreeLockLeavesTheQueue() {
		store.redis().zadd(this.queue, 1, "a");
		store.redis().zadd(this.queue, 2, "b");
		assertThat(store.take(this.key, "a:7").contended()).isTrue();
		assertThat(store.redis().get(this.lock)).isEqualTo("a:7*");
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("b");
	}

	@Test
	void instanceForWhichALockIsReservedLeftTheQueueByThat() {
		Recorder next = store.listen("next");
		store.take(this.key, "a:1");
		store.findBusy(this.key, "next:1", true);
		store.findBusy(this.key, "last:1", true);
		store.release(this.key, "a:1");
		next.awaitEvent("reserved " + this.key);
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("last");
		store.redis().set(this.lock, "!next");
		assertThat(store.take(this.key, "next:2").contended()).isTrue();
		assertThat(store.redis().get(this.lock)).isEqualTo("next:2*");
		assertThat(store.redis().pttl(this.lock)).isBetween(TTL.toMillis() - 5_000, TTL.toMillis());
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("last");
		store.store().ignore("next");
	}

	@Test
	void reservedLockIsTakenUnmarkedIfNobodyElseWaits() {
		store.redis().psetex(this.lock, 5_000, "!a");
		assertThat(store.take(this.key, "a:7").contended()).isFalse();
		assertThat(store.redis().get(this.lock)).isEqualTo("a:7");
		assertThat(store.redis().pttl(this.lock)).isBetween(TTL.toMillis() - 5_000, TTL.toMillis());
	}

	@Test
	void reservedLockIsTakenAlthoughItsQueueHasAnotherType() {
		store.redis().psetex(this.lock, 5_000, "!a");
		store.redis().set(this.queue, "theirs");
		assertThat(store.take(this.key, "a:7").contended()).isFalse();
	}

	@Test
	void acquisitionOfAReservedLockCostsSevenCommandsAlsoWhileOthersWait() {
		store.redis().psetex(this.lock, 5_000, "!a");
		store.redis().zadd(this.queue, 2, "b");
		Map<String, Integer> calls = store.callsDuring(() -> store.take(this.key, "a:7"));
		assertThat(calls).isEqualTo(Map.of("get", 2, "time", 1, "set", 3, "zcard", 1));
	}

	@Test
	void reservationForAnInstanceWithALongerNameIsNotTaken() {
		store.redis().psetex(this.lock, 5_000, "!ab");
		store.findBusy(this.key, "a:1", false);
		assertThat(store.redis().get(this.lock)).isEqualTo("!ab");
	}

	@Test
	void waitingInstanceStandsInTheQueueSinceItCameAndTheQueueExpires() {
		store.take(this.key, "a:1");
		long before = System.currentTimeMillis() * 1000;
		store.findBusy(this.key, "b:1", true);
		double since = store.redis().zscore(this.queue, "b");
		assertThat(since).isBetween((double) before, (System.currentTimeMillis() + 1) * 1000.0);
		store.findBusy(this.key, "b:2", true);
		assertThat(store.redis().zscore(this.queue, "b")).isEqualTo(since);
		assertThat(Duration.ofMillis(store.redis().pttl(this.queue))).isBetween(Duration.ofMinutes(9),
				Duration.ofMinutes(10));
	}

	@Test
	void acquisitionOfAFreeLockCostsFourCommands() {
		Map<String, Integer> calls = store.callsDuring(() -> plain(this.key, "a:1", false));
		assertThat(calls).isEqualTo(Map.of("get", 1, "time", 1, "set", 2));
	}

	@Test
	void acquisitionOfAFreeLockByAnInstanceReadyToWaitCostsNoMore() {
		Map<String, Integer> calls = store.callsDuring(() -> plain(this.key, "a:1", true));
		assertThat(calls).isEqualTo(Map.of("get", 1, "time", 1, "set", 2));
	}

	@Test
	void acquisitionByAnInstanceThatMayStandInTheQueueCostsTwoMore() {
		Map<String, Integer> calls = store.callsDuring(() -> store.take(this.key, "a:1"));
		assertThat(calls).isEqualTo(Map.of("get", 1, "time", 1, "set", 2, "zrem", 1, "zcard", 1));
	}

	@Test
	void acquisitionThatFindsOthersInTheQueueMarksTheLock() {
		store.redis().zadd(this.queue, 2, "b");
		assertThat(store.take(this.key, "a:1").contended()).isTrue();
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
		assertThat(store.take(this.key, "a:1").contended()).as("repeated").isTrue();
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
	}

	@Test
	void instanceThatJoinsTheQueueMarksTheLockAndKeepsItsTtl() {
		store.take(this.key, "a:1");
		store.redis().pexpire(this.lock, 12_345);
		assertThat(store.findBusy(this.key, "b:1", true).holder()).isEqualTo("a:1");
		assertThat(store.findBusy(this.key, "c:1", true).holder()).isEqualTo("a:1");
		assertThat(store.redis().get(this.lock)).isEqualTo("a:1*");
		assertThat(store.redis().pttl(this.lock)).isBetween(1L, 12_345L);
		assertThat(store.renew(this.key, "a:1")).isTrue();
		assertThat(store.release(this.key, "a:1")).isTrue();
	}

	@Test
	void pollOfAWaitingInstanceCostsSevenCommands() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "b:1", true);
		Map<String, Integer> calls = store.callsDuring(() -> store.findBusy(this.key, "b:1", true));
		assertThat(calls).isEqualTo(Map.of("set", 1, "get", 2, "time", 1, "zadd", 1, "publish", 1, "pttl", 1));
	}

	@Test
	void pollWhileReservedForAnotherTellsNobody() {
		store.redis().psetex(this.lock, 5_000, "!a");
		Map<String, Integer> calls = store.callsDuring(() -> store.findBusy(this.key, "b:1", true));
		assertThat(calls).doesNotContainKey("publish");
	}

	@Test
	void manyKeysInOneCallHarmNoOthers() {
		List<Acquire> commands = IntStream.range(0, 10_000)
			.mapToObj((i) -> new Acquire(this.key + i, "a", "a:" + i, TestStore.TTL, false, 1))
			.toList();
		assertThat(value(store.store().acquireAll(commands)).acquired()).hasSize(commands.size());
		store.redis().flushall();
	}

	@Test
	void singleTryOfABusyLockCostsFiveCommands() {
		store.take(this.key, "a:1");
		Map<String, Integer> calls = store.callsDuring(() -> store.findBusy(this.key, "b:1", false));
		assertThat(calls).isEqualTo(Map.of("time", 1, "set", 1, "get", 2, "pttl", 1));
	}

	private static Acquired plain(String key, String owner, boolean enqueue) {
		Acquire command = new Acquire(key, "a", owner, TTL, enqueue, 8, false);
		return (Acquired) value(store.store().acquire(command));
	}

}
