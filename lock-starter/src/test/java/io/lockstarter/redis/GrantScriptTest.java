// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.UUID;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.redis.TestStore.Recorder;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of locks that a release grants to the next instance: what the script leaves in
 * Redis, and what it tells.
 */
class GrantScriptTest {

	private static final String FENCE = "{lock}fence";

	private static RedisServer server;

	private static TestStore store;

	private static Recorder next;

	private final String key = "grant-" + UUID.randomUUID();

	private final String lock = "{lock}lock:" + this.key;

	private final String queue = "{lock}queue:" + this.key;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		store = new TestStore(server, server.connectionFactory(),
				TestStore.SETTINGS.withGrantTerm(Duration.ofSeconds(10)));
		next = store.listen("next");
	}

	@AfterAll
	static void stop() {
		store.close();
		server.close();
	}

	@Test
	void releasedLockBelongsToTheNextForTheTerm() {
		store.take(this.key, "a:1");
		long before = store.awaitGrant(this.key, "next:1", 8).nextToken();
		assertThat(store.release(this.key, "a:1")).isTrue();
		String holder = store.redis().get(this.lock);
		assertThat(holder).matches("next:g\\d+");
		assertThat(store.redis().pttl(this.lock)).isBetween(1_000L, 10_000L);
		long first = token(holder);
		assertThat(first).isGreaterThanOrEqualTo(before);
		assertThat(store.redis().get(FENCE)).isEqualTo(String.valueOf(first + 7));
		next.awaitEvent("granted %s to %s with 8".formatted(this.key, holder));
		assertThat(store.redis().exists(this.queue)).isZero();
		assertThat(store.findBusy(this.key, "b:1", false).holder()).isEqualTo(holder);
		assertThat(store.renew(this.key, holder)).isTrue();
		assertThat(store.redis().pttl(this.lock)).isGreaterThan(30_000L);
		assertThat(store.release(this.key, holder)).isTrue();
		assertThat(store.keys("*" + this.key + "*")).isEmpty();
	}

	@Test
	void nextTokenOfABusyLockIsLargerThanAllBeforeAndNotLargerThanTheNextOne() {
		Acquired taken = store.take(this.key, "a:1");
		long told = store.awaitGrant(this.key, "next:1", 8).nextToken();
		assertThat(told).isGreaterThan(taken.lastToken());
		assertThat(store.take(this.key + "-other", "a:2").firstToken()).isGreaterThanOrEqualTo(told);
	}

	@Test
	void whoIsGrantedALockMayAskForItByThatOwnerId() {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "next:1", 8);
		store.release(this.key, "a:1");
		String holder = store.redis().get(this.lock);
		assertThat(store.take(this.key, holder).firstToken()).isGreaterThan(token(holder) + 7);
		assertThat(store.redis().get(this.lock)).isEqualTo(holder);
		store.release(this.key, holder);
	}

	@Test
	void isToldThatOthersWaitAndTheLockSaysSo() {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "next:1", 8);
		store.findBusy(this.key, "last:1", true);
		store.release(this.key, "a:1");
		String held = store.redis().get(this.lock);
		assertThat(held).matches("next:g\\d+\\*");
		next.awaitEvent("granted %s to %s with 8, contended".formatted(this.key, held.substring(0, held.length() - 1)));
	}

	@Test
	void whoComesLaterTellsTheHolderOfAGrant() {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "next:1", 8);
		store.release(this.key, "a:1");
		store.findBusy(this.key, "b:1", true);
		next.awaitEvent("contended " + this.key);
		assertThat(store.redis().get(this.lock)).matches("next:g\\d+\\*");
	}

	@ParameterizedTest
	@CsvSource({ "1, 8", "8, 8", "9, 8", "16, 16", "64, 64", "8192, 8192", "10000, 8192", "1000000, 8192" })
	void comesWithAsManyTokensAsWereAskedFor(int asked, int granted) {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "next:1", asked);
		store.release(this.key, "a:1");
		next.awaitEvent("granted %s to %s with %d".formatted(this.key, store.redis().get(this.lock), granted));
	}

	@Test
	void whoGoesBackIntoTheQueueMayBeGrantedTheLockAsWell() {
		store.take(this.key, "next:1");
		assertThat(value(store.store().release(new Release(this.key, "next", "next:1", Queueing.GRANTED, 16, true))))
			.isTrue();
		String holder = store.redis().get(this.lock);
		assertThat(holder).matches("next:g\\d+");
		next.awaitEvent("granted %s to %s with 16".formatted(this.key, holder));
	}

	@Test
	void deadInstancesAreSkipped() {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "dead:1", 8);
		store.awaitGrant(this.key, "next:1", 8);
		store.release(this.key, "a:1");
		assertThat(store.redis().get(this.lock)).startsWith("next:g");
	}

	@Test
	void isReservedIfSeveralListenAsOneInstance() {
		try (TestStore copy = new TestStore(server)) {
			copy.listen("next");
			store.take(this.key, "a:1");
			store.awaitGrant(this.key, "next:1", 8);
			store.release(this.key, "a:1");
			assertThat(store.redis().get(this.lock)).isEqualTo("!next");
		}
		TestStore.soon().until(() -> store.redis().pubsubNumsub("{lock}signal:next").containsValue(1L));
	}

	@Test
	void isReservedIfNobodyMayAskWhoListens() {
		try (TestStore blind = TestStore.withAcl(server, "blind", "-pubsub")) {
			blind.take(this.key, "a:1");
			blind.awaitGrant(this.key, "next:1", 8);
			assertThat(blind.release(this.key, "a:1")).isTrue();
			assertThat(store.redis().get(this.lock)).isEqualTo("!next");
		}
	}

	@Test
	void isInspectedWithoutItsMark() {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "next:1", 8);
		store.findBusy(this.key, "last:1", true);
		store.release(this.key, "a:1");
		String held = store.redis().get(this.lock);
		assertThat(value(store.store().inspect(this.key)).lock().ownerIds())
			.containsExactly(held.substring(0, held.length() - 1));
	}

	@Test
	void instancesAreServedInTheirOrderHoweverTheyWait() {
		store.take(this.key, "a:1");
		store.findBusy(this.key, "b:1", true);
		store.awaitGrant(this.key, "next:1", 8192);
		store.findBusy(this.key, "c:1", true);
		assertThat(store.redis().zrange(this.queue, 0, -1)).containsExactly("b", "next", "c");
	}

	@Test
	void isReservedIfTheFenceHoldsNoToken() {
		try (TestStore broken = new TestStore(server, server.connectionFactory(),
				TestStore.SETTINGS.withKeyPrefix("broken"))) {
			Recorder waiting = broken.listen("next");
			broken.take(this.key, "a:1");
			broken.awaitGrant(this.key, "next:1", 8);
			store.redis().set("{broken}fence", "none");
			assertThat(broken.release(this.key, "a:1")).isTrue();
			assertThat(store.redis().get("{broken}lock:" + this.key)).isEqualTo("!next");
			waiting.awaitEvent("reserved " + this.key);
		}
	}

	@Test
	void releasedLockIsFreeForWhoWantsToShareIt() {
		store.take(this.key, "a:1");
		Acquire shared = new Acquire(this.key, "next", "next:1", TestStore.TTL, Queueing.RESERVED, 1, true,
				LockMode.SHARED);
		value(store.store().acquire(shared));
		store.awaitGrant(this.key, "last:1", 8);
		store.release(this.key, "a:1");
		assertThat(store.redis().get(this.lock)).isEqualTo("&");
		assertThat(value(store.store().acquire(shared))).isInstanceOf(Acquired.class);
	}

	@Test
	void isTakenByForceAndToldToItsInstance() {
		store.take(this.key, "a:1");
		store.awaitGrant(this.key, "next:1", 8);
		store.release(this.key, "a:1");
		String holder = store.redis().get(this.lock);
		assertThat(value(store.store().forceRelease(this.key, holder))).isTrue();
		next.awaitEvent("forced %s %s".formatted(this.key, holder));
		assertThat(store.renew(this.key, holder)).isFalse();
	}

	@Test
	void noStoreGrantsThatMustBeSureOfMore() {
		RedisStoreSettings settings = RedisStoreSettings.defaults();
		assertThat(StoreScripts.grantTerm(settings)).isEqualTo(Duration.ofSeconds(2));
		assertThat(StoreScripts.grantTerm(settings.withReplicasAcknowledged(1))).isZero();
		assertThat(StoreScripts.grantTerm(settings.withGrantTerm(Duration.ZERO))).isZero();
		assertThat(StoreScripts.grantTerm(settings.withScriptPart(new ScriptPart("") {
		}))).as("others may have a say").isZero();
	}

	private static long token(String ownerId) {
		return Long.parseLong(ownerId.substring(ownerId.indexOf(":g") + 2));
	}

}
