// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.ArrayList;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static io.lockstarter.redis.TestStore.failure;
import static io.lockstarter.redis.TestStore.soon;
import static io.lockstarter.redis.TestStore.value;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a Redis shows that others use, too.
 */
class StoreInspectionTest {

	private static RedisServer server;

	private static TestStore store;

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
	void forget() {
		store.redis().flushall();
	}

	@Test
	void keysOfOthersAreNotListed() {
		for (int i = 0; i < 3000; i++) {
			store.redis().set("data:" + i, "theirs");
		}
		store.redis().set("{locks}lock:theirs", "b:1");
		store.redis().hset("{lock}lock:hash", "theirs", "1");
		store.take("ours", "a:1");
		assertThat(all(store, 1)).extracting(StoredLock::key).containsExactly("ours");
	}

	@Test
	void prefixIsTakenLiterally() {
		RedisStoreSettings special = RedisStoreSettings.defaults().withKeyPrefix("l*[a-c]?\\");
		try (TestStore other = new TestStore(server, server.connectionFactory(), special)) {
			store.redis().set("{lxxb?\\}lock:theirs", "b:1");
			other.take("ours", "a:1");
			assertThat(all(other, 10)).extracting(StoredLock::key).containsExactly("ours");
		}
	}

	@Test
	void lockThatNoInstanceWroteIsShownAndReleased() {
		store.redis().set("{lock}lock:foreign", "theirs");
		StoredLock lock = value(store.store().inspect("foreign")).lock();
		assertThat(lock).isEqualTo(new StoredLock("foreign", List.of("theirs"), false, null, null));
		assertThat(value(store.store().forceRelease("foreign", "theirs"))).isTrue();
		assertThat(store.redis().exists("{lock}lock:foreign")).isZero();
	}

	@Test
	void markThatOthersQueueIsNoPartOfTheOwnerId() {
		store.listen("b");
		store.take("contended", "a:1");
		store.findBusy("contended", "b:1", true);
		assertThat(store.redis().get("{lock}lock:contended")).isEqualTo("a:1*");
		assertThat(value(store.store().inspect("contended")).lock().ownerIds()).containsExactly("a:1");
	}

	@Test
	void readersAreShownWhetherThereIsOneOrSeveral() {
		share("r:1");
		assertThat(value(store.store().inspect("shared")).lock().ownerIds()).containsExactly("r:1");
		assertThat(all(store, 10)).singleElement().extracting(StoredLock::ownerIds).isEqualTo(List.of("r:1"));
		share("r:2");
		assertThat(value(store.store().inspect("shared")).lock().ownerIds()).containsExactlyInAnyOrder("r:1", "r:2");
		assertThat(all(store, 10)).singleElement()
			.extracting(StoredLock::ownerIds, InstanceOfAssertFactories.LIST)
			.containsExactlyInAnyOrder("r:1", "r:2");
	}

	@Test
	void keyOfAnotherTypeIsReportedAndLeftAlone() {
		store.redis().hset("{lock}lock:hash", "theirs", "1");
		assertThat(failure(store.store().inspect("hash"))).hasMessageContaining("WRONGTYPE");
		assertThat(value(store.store().forceRelease("hash", "a:1"))).isFalse();
		assertThat(store.redis().hget("{lock}lock:hash", "theirs")).isEqualTo("1");
	}

	@Test
	void eachOwnerIdIsRememberedOfSeveralThatAreForcedOut() {
		store.take("several", "r:1");
		value(store.store().forceRelease("several", "r:1"));
		store.take("several", "w:1");
		store.redis().pexpire("{lock}lock:several", 300);
		value(store.store().forceRelease("several", "w:1"));
		assertThat(store.redis().zrange("{lock}forced:several", 0, -1)).containsExactlyInAnyOrder("w:1", "r:1");
		assertThat(store.redis().pttl("{lock}forced:several")).isGreaterThan(10_000);
	}

	@Test
	void whatIsRememberedOfAForceReleaseExpires() {
		store.take("forced", "a:1");
		value(store.store().forceRelease("forced", "a:1"));
		assertThat(store.redis().pttl("{lock}forced:forced")).isBetween(1L, TestStore.TTL.toMillis());
	}

	@Test
	void connectionIsClosedAfterwards() {
		store.take("connected", "a:1");
		int before = store.clients().size();
		value(store.store().inspect("connected"));
		value(store.store().scan(null, 10));
		soon().untilAsserted(() -> assertThat(store.clients()).hasSize(before));
	}

	private void share(String owner) {
		assertThat(value(store.store()
			.acquire(new Acquire("shared", "r", owner, TestStore.TTL, Queueing.NONE, 1, false, LockMode.SHARED))))
			.isInstanceOf(Acquired.class);
	}

	private static List<StoredLock> all(TestStore store, int limit) {
		List<StoredLock> locks = new ArrayList<>();
		String cursor = null;
		do {
			StoredLocks page = value(store.store().scan(cursor, limit));
			locks.addAll(page.locks());
			cursor = page.next();
		}
		while (cursor != null);
		return locks;
	}

}
