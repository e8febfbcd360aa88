// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.LockSetupException;
import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.migration.OldLock;
import io.lockstarter.migration.OldLock.Format;
import io.lockstarter.migration.OldLocks;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.TTL;
import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Tests of locks of other libraries that are held together with ours: what the script
 * leaves in Redis.
 */
class OldLockTest {

	private static final String NOT_PERMITTED = ".*(The user executing the script|ACL failure in script).*";

	private static final Duration SOON = Duration.ofMillis(50);

	private static final List<OldLock> RULES = List.of(new OldLock("set-nx-*", Format.SET_NX, "old:*"),
			new OldLock("spring-integration-*", Format.SPRING_INTEGRATION, "old:*"),
			new OldLock("shedlock-*", Format.SHEDLOCK, "old:*"), new OldLock("redisson-*", Format.REDISSON, "old:*"),
			new OldLock("getset-millis-*", Format.GETSET_MILLIS, "old:*"),
			new OldLock("getset-seconds-*", Format.GETSET_SECONDS, "old:*"),
			new OldLock("single", Format.SET_NX, "the-old-one"), new OldLock("*:end", Format.SET_NX, "before-*-after"),
			new OldLock("twice-*", Format.SET_NX, "first-*"), new OldLock("twice-*", Format.SET_NX, "second-*"),
			new OldLock("ключ'\n*", Format.SET_NX, "старый\\*"));

	private static final RedisStoreSettings SETTINGS = RedisStoreSettings.defaults()
		.withScriptPart(new OldLocks(RULES));

	private static RedisServer server;

	private static TestStore store;

	private final String id = UUID.randomUUID().toString();

	private final String old = "old:" + this.id;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		store = new TestStore(server, server.connectionFactory(), SETTINGS);
		store.take("warm-up", "a:1");
	}

	@AfterAll
	static void stop() {
		store.close();
		server.close();
	}

	@BeforeEach
	void clear() {
		redis().flushall();
	}

	@ParameterizedTest
	@EnumSource
	void oldLockIsTakenAndExpiresWithOurs(Format format) {
		store.take(key(format), "a:1");
		assertThat(redis().get(lock(format))).isEqualTo("a:1");
		assertThat(isHeldByOldRules(format)).isTrue();
		assertThat(redis().pttl(this.old)).isBetween(TTL.toMillis() - 5_000, TTL.toMillis() + 5_000);
		assertThat(store.release(key(format), "a:1")).isTrue();
		assertThat(keys()).containsExactly("{lock}fence");
	}

	@ParameterizedTest
	@EnumSource
	void oldLockIsKeptWithOursWhateverComesTooLate(Format format) {
		store.take(key(format), "a:1");
		Renew kept = new Renew(key(format), "a:1", Duration.ofHours(1));
		assertThat(value(store.store().keep(kept))).isTrue();
		store.findBusy(key(format), "a:1", false);
		assertThat(store.renew(key(format), "a:1")).isFalse();
		assertThat(isHeldByOldRules(format)).isTrue();
		assertThat(Duration.ofMillis(redis().pttl(this.old))).isGreaterThan(Duration.ofMinutes(59));
		assertThat(value(store.store().keep(kept))).isTrue();
		assertThat(isHeldByOldRules(format)).isTrue();
	}

	// A lock by GETSET names no holder.
	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "GETSET_MILLIS", "GETSET_SECONDS" })
	void oldLockIsNotKeptForALockThatIsGone(Format format) {
		store.take(key(format), "a:1");
		redis().del("{lock}lock:" + key(format));
		assertThat(value(store.store().keep(new Renew(key(format), "a:1", Duration.ofHours(1))))).isFalse();
		assertThat(isHeldByOldRules(format)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void oldLockOfSomebodyElseIsBusyAndOursStaysFree(Format format) {
		takeOld(format);
		Busy busy = store.findBusy(key(format), "a:1", true);
		assertThat(busy.holder()).isEqualTo(format.name().startsWith("GETSET") ? null : "somebody");
		assertThat(busy.remaining()).isLessThanOrEqualTo(SOON);
		assertThat(keys()).containsExactly(this.old);
	}

	@Test
	void locksThatAreHeldWithOldOnesAreNotShared() {
		assertThat(store.store().isShareable()).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "single, the-old-one", "x:end, before-x-after", ":end, before--after", "twice-x, first-x", "single-x,",
			"end," })
	void oldNameOfAKeyIsThatOfTheScript(String key, String name) {
		String first = RULES.stream()
			.map((rule) -> rule.nameFor(key))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
		assertThat(first).isEqualTo(name);
		if (name != null) {
			store.take(key, "a:1");
			assertThat(redis().get(name)).isEqualTo("a:1");
			assertThat(store.release(key, "a:1")).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void oldLockThatExpiresSoonerIsAskedForSooner(Format format) {
		if (!format.name().startsWith("GETSET")) {
			takeOld(format);
			redis().pexpire(this.old, 10);
			Duration remaining = value(store.acquire(key(format), "a:1", false)) instanceof Busy busy ? busy.remaining()
					: Duration.ZERO;
			assertThat(remaining).isLessThanOrEqualTo(Duration.ofMillis(10));
		}
	}

	@ParameterizedTest
	@EnumSource
	void oursOfSomebodyElseIsBusyAsEver(Format format) {
		store.take(key(format), "a:1");
		Busy busy = store.findBusy(key(format), "b:1", true);
		assertThat(busy.holder()).isEqualTo("a:1");
		assertThat(busy.remaining()).isGreaterThan(TTL.dividedBy(2));
		assertThat(redis().get(lock(format))).isEqualTo("a:1*");
		assertThat(store.release(key(format), "b:1")).isFalse();
		assertThat(store.renew(key(format), "b:1")).isFalse();
		assertThat(isHeldByOldRules(format)).isTrue();
		assertThat(store.release(key(format), "a:1")).isTrue();
		assertThat(redis().exists(this.old)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void renewalSetsBothTtlsAnew(Format format) {
		store.take(key(format), "a:1");
		redis().pexpire(lock(format), 20_000);
		redis().pexpire(this.old, 20_000);
		assertThat(store.renew(key(format), "a:1")).isTrue();
		assertThat(redis().pttl(lock(format))).isGreaterThan(30_000);
		assertThat(redis().pttl(this.old)).isGreaterThan(30_000);
	}

	@ParameterizedTest
	@EnumSource
	void oldLockThatWasDeletedIsNoticedByTheRenewalAndOursGoes(Format format) {
		store.take(key(format), "a:1");
		store.take("other", "a:2");
		redis().del(this.old);
		List<Boolean> held = value(
				store.store().renew(List.of(new Renew(key(format), "a:1", TTL), new Renew("other", "a:2", TTL))));
		assertThat(held).containsExactly(false, true);
		assertThat(redis().exists(lock(format), this.old)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void oldLockThatSomebodyElseHasMeanwhileIsLostAndLeftAlone(Format format) {
		assertLosesTheOldLock(format, () -> store.renew(key(format), "a:1"));
	}

	@ParameterizedTest
	@EnumSource
	void releaseSaysThatTheOldLockWasLost(Format format) {
		assertLosesTheOldLock(format, () -> store.release(key(format), "a:1"));
	}

	@ParameterizedTest
	@EnumSource
	void keepingSaysThatTheOldLockWasLost(Format format) {
		assertLosesTheOldLock(format, () -> value(store.keep(key(format), "a:1", TTL)));
	}

	@ParameterizedTest
	@EnumSource
	void oursThatIsLostTakesTheOldOneAlong(Format format) {
		store.take(key(format), "a:1");
		redis().set(lock(format), "b:1");
		assertThat(store.renew(key(format), "a:1")).isFalse();
		if (!format.name().startsWith("GETSET")) {
			assertThat(redis().exists(this.old)).isZero();
		}
		assertThat(redis().get(lock(format))).isEqualTo("b:1");
	}

	@ParameterizedTest
	@EnumSource
	void repeatedAcquisitionHoldsBothOnce(Format format) {
		store.take(key(format), "a:1");
		store.take(key(format), "a:1");
		assertThat(isHeldByOldRules(format)).isTrue();
		assertThat(store.release(key(format), "a:1")).isTrue();
		assertThat(redis().exists(lock(format), this.old)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void repeatedAcquisitionThatFindsTheOldLockLostLeavesNothing(Format format) {
		store.take(key(format), "a:1");
		redis().del(this.old);
		takeOld(format);
		assertThat(value(store.acquire(key(format), "a:1", false))).isInstanceOf(Busy.class);
		assertThat(redis().exists(lock(format))).isZero();
		assertThat(isHeldByOldRules(format)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void prolongedAcquisitionNoticesThatTheOldLockWasLost(Format format) {
		Acquire held = new Acquire(key(format), "a", "a:1", TTL, Queueing.NONE, 1, false, LockMode.EXCLUSIVE, true);
		store.take(key(format), "a:1");
		assertThat(value(store.store().acquire(held))).isInstanceOf(Acquired.class);
		redis().del(this.old);
		assertThat(value(store.store().acquire(held))).isInstanceOf(Busy.class);
		assertThat(redis().exists(lock(format), this.old)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void releaseByForceFreesBoth(Format format) {
		store.take(key(format), "a:1");
		assertThat(value(store.store().forceRelease(key(format), "a:1"))).isTrue();
		assertThat(redis().exists(lock(format), this.old)).isZero();
	}

	@ParameterizedTest
	@EnumSource
	void releaseWakesWhoQueuesForOurs(Format format) {
		store.take(key(format), "a:1");
		TestStore.Recorder signals = store.listen("b");
		store.findBusy(key(format), "b:1", true);
		assertThat(store.release(key(format), "a:1")).isTrue();
		signals.awaitEvent("reserved " + key(format));
		assertThat(redis().exists(this.old)).isZero();
		store.take(key(format), "b:2");
		assertThat(isHeldByOldRules(format)).isTrue();
		assertThat(store.release(key(format), "b:2")).isTrue();
		store.store().ignore("b");
	}

	@ParameterizedTest
	@EnumSource
	void reservationIsNoObstacleToOldClients(Format format) {
		store.take(key(format), "a:1");
		TestStore.Recorder signals = store.listen("b");
		store.findBusy(key(format), "b:1", true);
		assertThat(store.release(key(format), "a:1")).isTrue();
		signals.awaitEvent("reserved " + key(format));
		takeOld(format);
		assertThat(store.findBusy(key(format), "b:2", true).remaining()).isLessThanOrEqualTo(SOON);
		value(store.store().leave(key(format), "b"));
		assertThat(isHeldByOldRules(format)).isTrue();
		store.store().ignore("b");
	}

	@ParameterizedTest
	@EnumSource
	void severalKeysAreTakenWithTheirOldLocksOrNotAtAll(Format format) {
		List<Acquire> commands = List.of(new Acquire("one", "a", "a:1", TTL, false, 8),
				new Acquire("twice-" + this.id, "a", "a:2", TTL, false, 8),
				new Acquire(key(format), "a", "a:3", TTL, false, 8));
		takeOld(format);
		AcquireAllReply refused = value(store.store().acquireAll(commands));
		assertThat(refused.busyKey()).isEqualTo(key(format));
		assertThat(refused.busy().remaining()).isLessThanOrEqualTo(SOON);
		assertThat(keys()).containsExactly(this.old);

		redis().del(this.old);
		assertThat(value(store.store().acquireAll(commands)).acquired()).hasSize(3);
		assertThat(isHeldByOldRules(format)).isTrue();
		assertThat(redis().get("first-" + this.id)).isEqualTo("a:2");
		// repeated
		assertThat(value(store.store().acquireAll(commands)).acquired()).hasSize(3);
		for (Acquire command : commands) {
			assertThat(store.release(command.key(), command.ownerId())).isTrue();
		}
		assertThat(keys()).containsExactly("{lock}fence");
	}

	@Test
	void severalKeysOfWhichOneIsBusyAmongOursAreNotTaken() {
		store.take("set-nx-x", "b:1");
		AcquireAllReply refused = value(store.store()
			.acquireAll(List.of(new Acquire("set-nx-a", "a", "a:1", TTL, false, 8),
					new Acquire("set-nx-x", "a", "a:2", TTL, false, 8))));
		assertThat(refused.busyKey()).isEqualTo("set-nx-x");
		assertThat(refused.busy().remaining()).isGreaterThan(SOON);
		assertThat(store.keys("old:*")).containsExactly("old:x");
	}

	@Test
	void severalKeysWithOneOldLockAreRefusedAndNothingStays() {
		LockStoreException failure = failure(store.store()
			.acquireAll(List.of(new Acquire("set-nx-x", "a", "a:1", TTL, false, 8),
					new Acquire("shedlock-x", "a", "a:2", TTL, false, 8))));
		assertThat(failure).hasMessageContaining("two of the keys have the same old lock: old:x");
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(keys()).doesNotContain("{lock}lock:set-nx-x", "{lock}lock:shedlock-x", "old:x");
	}

	@Test
	void keyThatNoRuleFitsCostsNothingMore() {
		try (TestStore plain = new TestStore(server)) {
			for (String key : List.of("plain", "Single", "single2", "redisson", "end")) {
				Map<String, Integer> calls = store.callsDuring(() -> {
					store.take(key, "a:1");
				});
				redis().flushall();
				assertThat(calls).as(key).isEqualTo(plain.callsDuring(() -> plain.take(key, "a:1")));
				assertThat(keys()).contains("{lock}lock:" + key).doesNotContain("the-old-one");
				redis().flushall();
			}
		}
	}

	@Test
	void scriptWithoutOldLocksHasNothingOfThem() {
		assertThat(ScriptTexts.commands(RedisStoreSettings.defaults(), false)).doesNotContain("MARGIN", "redisson");
		assertThat(ScriptTexts.commands(SETTINGS, false)).contains("MARGIN", "redisson");
	}

	@ParameterizedTest
	@CsvSource({ "single, the-old-one", "middle:end, before-middle-after", "twice-a, first-a", "set-nx-a*b, old:a*b",
			":end, before--after", "set-nx-, old:", "set-nx-x:end, old:x:end" })
	void firstRuleThatFitsNamesTheOldLock(String key, String name) {
		store.take(key, "a:1");
		assertThat(keys()).containsExactlyInAnyOrder("{lock}lock:" + key, "{lock}fence", name);
	}

	@Test
	void namesMayHaveAnyCharacters() {
		store.take("ключ'\nдва", "a:1");
		assertThat(redis().get("старый\\два")).isEqualTo("a:1");
	}

	@ParameterizedTest
	@EnumSource
	void keyThatHoldsSomethingElseIsRefusedAndLeftAlone(Format format) {
		if (format == Format.REDISSON) {
			redis().set(this.old, "text");
		}
		else {
			redis().hset(this.old, "field", "text");
		}
		LockStoreException failure = failure(store.acquire(key(format), "a:1", true));
		assertThat(failure).hasMessageContaining("the old lock %s holds something else than a lock of %s", this.old,
				format.text());
		assertThat(failure.isTransient()).isFalse();
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(keys()).containsExactly(this.old);
	}

	@ParameterizedTest
	@EnumSource
	void oldLockThatBecameSomethingElseIsLostAndLeftAlone(Format format) {
		store.take(key(format), "a:1");
		redis().del(this.old);
		redis().lpush(this.old, "text");
		assertThat(store.renew(key(format), "a:1")).isFalse();
		assertThat(store.release(key(format), "a:1")).isFalse();
		assertThat(redis().type(this.old)).isEqualTo("list");
	}

	@ParameterizedTest
	@EnumSource
	void tokensThatCannotBeRememberedLeaveNoOldLock(Format format) {
		try (TestStore denied = writingOnly("old:*", "{lock}lock:*", "{lock}old-*", "{lock}server")) {
			assertThat(failure(denied.acquire(key(format), "a:1", false))).hasMessageMatching(NOT_PERMITTED);
			assertThat(failure(denied.store().acquireAll(List.of(new Acquire(key(format), "a", "a:1", TTL, false, 8)))))
				.hasMessageMatching(NOT_PERMITTED);
		}
		assertThat(keys()).doesNotContain(this.old, lock(format));
	}

	@ParameterizedTest
	@EnumSource
	void oldLockThatMayNotBeTakenLeavesOursFree(Format format) {
		try (TestStore denied = writingOnly("{lock}*")) {
			assertThat(failure(denied.acquire(key(format), "a:1", false))).hasMessageMatching(NOT_PERMITTED);
			assertThat(
					failure(denied.store()
						.acquireAll(List.of(new Acquire("one", "a", "a:1", TTL, false, 8),
								new Acquire(key(format), "a", "a:1", TTL, false, 8)))))
				.hasMessageMatching(NOT_PERMITTED);
			value(denied.acquire("one", "a:2", false));
		}
		assertThat(keys()).containsExactlyInAnyOrder("{lock}lock:one", "{lock}fence");
	}

	@ParameterizedTest
	@EnumSource
	void rightsOfTheDocumentationSuffice(Format format) {
		List<String> rules = new ArrayList<>(List.of("reset", "on", ">secret", "resetchannels", "~{lock}*", "~old:*",
				"&{lock}signal:*", "+hello", "+ping", "+evalsha", "+eval", "+time", "+get", "+set", "+del", "+pttl",
				"+pexpire", "+zadd", "+zrem", "+zcard", "+zpopmin", "+publish", "+subscribe", "+info"));
		if (format == Format.REDISSON) {
			rules.addAll(List.of("&redisson_lock__channel*", "+hkeys", "+hset", "+hexists"));
		}
		else if (format == Format.SPRING_INTEGRATION) {
			rules.add("&old-channel*");
		}
		try (TestStore least = withRules(rules.toArray(String[]::new))) {
			takeOld(format);
			least.findBusy(key(format), "a:1", true);
			redis().del(this.old);
			least.take(key(format), "a:1");
			assertThat(isHeldByOldRules(format)).isTrue();
			assertThat(least.renew(key(format), "a:1")).isTrue();
			assertThat(least.release(key(format), "a:1")).isTrue();
			assertThat(redis().exists(this.old)).isZero();
		}
	}

	@Test
	void waitersOfRedissonAreTold() {
		List<String> messages = messagesDuring(() -> {
			store.take("redisson-a", "a:1");
			store.release("redisson-a", "a:1");
			store.take("redisson-{b}:c", "a:1");
			store.release("redisson-{b}:c", "a:1");
			store.release("redisson-{b}:c", "a:1");
		}, "redisson_lock__channel*", 2);
		assertThat(messages).containsExactly("redisson_lock__channel:{old:a} 0", "redisson_lock__channel:old:{b}:c 0");
	}

	@Test
	void waitersOfSpringIntegrationAreTold() {
		List<String> messages = messagesDuring(() -> {
			store.take("spring-integration-a:b", "a:1");
			store.release("spring-integration-a:b", "a:1");
		}, "*-channel*", 4);
		assertThat(messages).containsExactlyInAnyOrder("old-channel:old:a:b old:a:b", "old-channel old:a:b",
				"old:a-channel:old:a:b old:a:b", "old:a-channel old:a:b");
	}

	@Test
	void noMoreThanEightKeysOfRegistriesAreTriedForWaitersOfSpringIntegration() {
		String key = "spring-integration-" + "a:".repeat(100) + "b";
		List<String> messages = messagesDuring(() -> {
			store.take(key, "a:1");
			store.release(key, "a:1");
			store.take("spring-integration-z", "a:1");
			store.release("spring-integration-z", "a:1");
		}, "*-channel*", 18);
		assertThat(messages).hasSize(18);
		assertThat(messages.subList(16, 18)).allMatch((message) -> message.endsWith("old:z"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfGetsetIsAheadOfAllClocks(String format) {
		int unit = format.endsWith("seconds") ? 1000 : 1;
		store.take(format + "-x", "a:1");
		long ahead = Long.parseLong(redis().get("old:x")) * unit - store.micros() / 1000;
		assertThat(ahead).isBetween(TTL.toMillis(), TTL.toMillis() + 6_000);
		redis().pexpire("old:x", 1_000);
		redis().pexpire(note(format), 1_000);
		assertThat(store.renew(format + "-x", "a:1")).isTrue();
		assertThat(redis().pttl("old:x")).isGreaterThan(TTL.toMillis());
		ahead = Long.parseLong(redis().get("old:x")) * unit - store.micros() / 1000;
		assertThat(ahead).isBetween(TTL.toMillis(), TTL.toMillis() + 6_000);
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfGetsetIsTakenOverOnceItIsOverForSure(String format) {
		writeTime(format, -1_000);
		assertThat(value(store.acquire(format + "-x", "a:1", false))).isInstanceOf(Busy.class);
		writeTime(format, -7_000);
		store.take(format + "-x", "a:1");
		assertThat(store.release(format + "-x", "a:1")).isTrue();
		assertThat(redis().exists("old:x")).isZero();
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfGetsetThatOneOfUsLeftIsNobodysOnceOursExpired(String format) {
		store.take(format + "-x", "a:1");
		redis().del("{lock}lock:" + format + "-x");
		store.take(format + "-x", "b:1");
		assertThat(store.release(format + "-x", "a:1")).isFalse();
		assertThat(store.release(format + "-x", "b:1")).isTrue();
		assertThat(keys()).containsExactly("{lock}fence");
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfGetsetThatSomebodyElseWroteIsLostAndLeftAlone(String format) {
		store.take(format + "-x", "a:1");
		writeTime(format, 10_000);
		assertThat(store.release(format + "-x", "a:1")).isFalse();
		assertThat(keys()).containsExactlyInAnyOrder("{lock}fence", "old:x");
		assertThat(value(store.acquire(format + "-x", "a:2", false))).isInstanceOf(Busy.class);
		redis().del("old:x");

		store.take(format + "-x", "a:3");
		String time = writeTime(format, 10_000);
		assertThat(store.renew(format + "-x", "a:3")).isFalse();
		assertThat(keys()).containsExactlyInAnyOrder("{lock}fence", "old:x");
		assertThat(redis().get("old:x")).isEqualTo(time);
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfWhoMayHaveSeenTheLockBeforeExpireIsOverwrittenByTheFirstRenewal(String format) {
		writeTime(format, -7_000);
		store.take(format + "-x", "a:1");
		String time = writeTime(format, 10_000);
		assertThat(store.renew(format + "-x", "a:1")).isTrue();
		assertThat(redis().get("old:x")).isGreaterThan(time);
		assertThat(redis().get(note(format))).isEqualTo(redis().get("old:x"));
		writeTime(format, 10_000);
		assertThat(store.renew(format + "-x", "a:1")).as("somebody wrote after the first renewal").isFalse();
		assertThat(keys()).containsExactlyInAnyOrder("{lock}fence", "old:x");
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfWhoMayHaveSeenTheLockBeforeExpireIsLeftAloneByTheRelease(String format) {
		writeTime(format, -7_000);
		store.take(format + "-x", "a:1");
		String time = writeTime(format, 10_000);
		assertThat(store.release(format + "-x", "a:1")).isTrue();
		assertThat(keys()).containsExactlyInAnyOrder("{lock}fence", "old:x");
		assertThat(redis().get("old:x")).isEqualTo(time);
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void clockThatIsFastMayHaveSeenTheTimeOfOneOfUsExpire(String format) {
		store.take(format + "-x", "a:1");
		redis().del("{lock}lock:" + format + "-x");
		redis().set(note(format), writeTime(format, 3_000));
		store.take(format + "-x", "b:1");
		writeTime(format, 10_000);
		assertThat(store.renew(format + "-x", "b:1")).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void repeatedAcquisitionRemembersWhoMayHaveSeenTheLockBeforeExpire(String format) {
		writeTime(format, -7_000);
		store.take(format + "-x", "a:1");
		store.take(format + "-x", "a:1");
		writeTime(format, 10_000);
		assertThat(store.renew(format + "-x", "a:1")).isTrue();
		store.take(format + "-x", "a:1");
		writeTime(format, 10_000);
		assertThat(store.renew(format + "-x", "a:1")).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void renewalNeedsNoMemory(Format format) {
		store.take(key(format), "a:1");
		redis().pexpire(lock(format), 20_000);
		redis().pexpire(this.old, 20_000);
		String before = format.name().startsWith("GETSET") ? writtenEarlier(format) : "";
		redis().configSet("maxmemory", "1");
		try {
			assertThat(failure(store.acquire("other", "a:2", false))).hasMessageContaining("OOM");
			assertThat(store.renew(key(format), "a:1")).isTrue();
			assertThat(redis().pttl(lock(format))).isGreaterThan(30_000);
			assertThat(redis().pttl(this.old)).isGreaterThan(30_000);
			if (!before.isEmpty()) {
				assertThat(redis().get(this.old)).isGreaterThan(before);
			}
			assertThat(store.release(key(format), "a:1")).isTrue();
			assertThat(redis().exists(lock(format), this.old)).isZero();
		}
		finally {
			redis().configSet("maxmemory", "0");
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "GETSET_MILLIS", "GETSET_SECONDS" })
	void renewalThatIsRefusedLeavesBothLocks(Format format) {
		store.take(key(format), "a:1");
		for (String allowed : List.of("old:*", "{lock}old-*")) {
			try (TestStore least = writingOnly(allowed, "{lock}lock:*", "{lock}fence", "{lock}server")) {
				Renew renewal = new Renew(key(format), "a:1", TTL);
				assertThat(failure(least.store().renew(List.of(renewal)))).as(allowed)
					.hasMessageMatching(NOT_PERMITTED);
			}
			assertThat(redis().get(lock(format))).as(allowed).isEqualTo("a:1");
			assertThat(isHeldByOldRules(format)).as(allowed).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "getset-millis", "getset-seconds" })
	void timeOfGetsetThatSomebodyElseLetExpireIsLost(String format) {
		writeTime(format, -7_000);
		store.take(format + "-x", "a:1");
		writeTime(format, -7_000);
		assertThat(store.renew(format + "-x", "a:1")).isFalse();
		assertThat(keys()).containsExactlyInAnyOrder("{lock}fence", "old:x");
	}

	@ParameterizedTest
	@CsvSource({ "getset-millis, 1900000000", "getset-seconds, 1900000000000", "getset-millis, soon",
			"getset-seconds, 5" })
	void timeOfGetsetInAnotherUnitIsRefused(String format, String time) {
		redis().set("old:x", time);
		assertThat(failure(store.acquire(format + "-x", "a:1", false)))
			.hasMessageContaining("the old lock old:x holds something else than a lock of " + format);
		assertThat(redis().get("old:x")).isEqualTo(time);
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"',
			textBlock = """
					" ", old:*, keys must not be blank
					a*, " ", oldKey must not be blank
					a**, old:*, "keys must have one '*' at most, but is 'a**'"
					a*, old, "oldKey must have one '*', as the keys 'a*' have, but is 'old': each key has an old lock of its own"
					a, old:*, "oldKey must have no '*', as the keys 'a' have, but is 'old:*'"
					a*, old:*:*, "oldKey must have one '*', as"
					""")
	void rulesThatCannotWorkAreRefused(String keys, String oldKey, String problem) {
		assertThatIllegalArgumentException().isThrownBy(() -> new OldLock(keys, Format.SET_NX, oldKey))
			.withMessageStartingWith(problem);
	}

	@Test
	void oldLocksInTheNamesOfThisStoreAreRefused() {
		OldLocks locks = new OldLocks(List.of(RULES.get(0), new OldLock("*", Format.SET_NX, "{lock}lock:*")));
		assertThatExceptionOfType(LockSetupException.class)
			.isThrownBy(() -> locks.check(RedisStoreSettings.defaults(), false))
			.withMessageContaining("'distributed-lock.migration[1].old-key' must not begin with '{lock}', as the keys "
					+ "of our locks do, but is '{lock}lock:*'");
	}

	private static String note(String format) {
		return "{lock}old-%s:%1$s-x".formatted(format);
	}

	/**
	 * A store whose script may name and read all keys, and write some of them, which
	 * takes a selector of Redis 7.
	 */
	private static TestStore writingOnly(String... patterns) {
		assumeTrue(redis().info("server").lines().noneMatch((line) -> line.matches("redis_version:[0-6]\\..*")));
		return withRules("reset", "on", ">secret", "+@all", "-@write", "~*", "&*",
				"(+@write ~%s)".formatted(String.join(" ~", patterns)));
	}

	private static TestStore withRules(String... acl) {
		TestStore.acl(server, "migrating", acl);
		return new TestStore(server, server.connectionFactory((configuration) -> {
			configuration.setUsername("migrating");
			configuration.setPassword("secret");
		}, (clientConfiguration) -> {
		}), SETTINGS);
	}

	private static List<String> messagesDuring(Runnable action, String pattern, int count) {
		Queue<String> messages = new ConcurrentLinkedQueue<>();
		try (RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
				StatefulRedisPubSubConnection<String, String> subscription = client.connectPubSub()) {
			subscription.addListener(new RedisPubSubAdapter<>() {

				@Override
				public void message(String matched, String channel, String message) {
					messages.add(channel + " " + message);
				}

			});
			subscription.sync().psubscribe(pattern);
			action.run();
			soon().untilAsserted(() -> assertThat(messages).hasSizeGreaterThanOrEqualTo(count));
		}
		return new ArrayList<>(messages);
	}

	/**
	 * Check what becomes of a lock whose old one somebody else has meanwhile.
	 * @param command finds that out, and replies whether the lock is held
	 */
	private void assertLosesTheOldLock(Format format, BooleanSupplier command) {
		store.take(key(format), "a:1");
		redis().del(this.old);
		takeOld(format);
		assertThat(command.getAsBoolean()).isFalse();
		assertThat(redis().exists(lock(format))).isZero();
		assertThat(isHeldByOldRules(format)).isTrue();
	}

	private void takeOld(Format format) {
		switch (format) {
			case SET_NX, SPRING_INTEGRATION, SHEDLOCK ->
				redis().set(this.old, "somebody", SetArgs.Builder.nx().px(TTL.toMillis()));
			case REDISSON -> {
				redis().hset(this.old, "somebody", "1");
				redis().pexpire(this.old, TTL.toMillis());
			}
			case GETSET_MILLIS -> redis().setnx(this.old, Long.toString(store.micros() / 1000 + TTL.toMillis()));
			case GETSET_SECONDS -> redis().setnx(this.old, Long.toString(store.micros() / 1000_000 + TTL.toSeconds()));
		}
	}

	/**
	 * Do what a client with {@code GETSET} does, or one with {@code SETNX} after a
	 * {@code DEL}.
	 */
	private static String writeTime(String format, int millisFromNow) {
		int unit = format.endsWith("seconds") ? 1000 : 1;
		String time = Long.toString((store.micros() / 1000 + millisFromNow) / unit);
		redis().set("old:x", time);
		return time;
	}

	private String writtenEarlier(Format format) {
		int unit = (format == Format.GETSET_SECONDS) ? 1000 : 1;
		String time = Long.toString(Long.parseLong(redis().get(this.old)) - 10_000 / unit);
		redis().set(this.old, time, SetArgs.Builder.px(20_000));
		redis().set("{lock}old-%s:%s".formatted(format.text(), key(format)), time, SetArgs.Builder.px(20_000));
		return time;
	}

	private boolean isHeldByOldRules(Format format) {
		return switch (format) {
			case SET_NX, SPRING_INTEGRATION, SHEDLOCK -> redis().get(this.old) != null;
			case REDISSON -> redis().hgetall(this.old).values().stream().anyMatch("1"::equals);
			case GETSET_MILLIS -> Long.parseLong(redis().get(this.old)) > store.micros() / 1000;
			case GETSET_SECONDS -> Long.parseLong(redis().get(this.old)) > store.micros() / 1_000_000;
		};
	}

	private String key(Format format) {
		return format.text() + "-" + this.id;
	}

	private String lock(Format format) {
		return "{lock}lock:" + key(format);
	}

	/**
	 * Return all keys, but for the one that is written whenever the server is asked.
	 */
	private static List<String> keys() {
		return store.keys("*").stream().filter((key) -> !key.equals("{lock}server")).toList();
	}

	private static RedisCommands<String, String> redis() {
		return store.redis();
	}

}
