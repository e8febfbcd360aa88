// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.testkit.HeldCollections;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No collection of the engine grows with the keys that are used one after the other,
 * whatever became of them.
 */
@Timeout(120)
class EngineBoundsTest {

	private static final int KEYS = 1_100;

	/**
	 * What remembers something on purpose, and how much at most.
	 */
	private static final Map<String, Integer> REMEMBERED = Map.of("ForcedOwners.ownerIds", 1_000, "News.toldSetBack",
			10);

	private static final Duration TTL = Duration.ofSeconds(1);

	private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(TTL).withWaitTime(TTL);

	private final LockStoreException refused = new LockStoreException("no more memory", false, null);

	private final LockStoreException lost = new LockStoreException("connection lost", true, null);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final LockRegistry registry = this.engine.registry();

	@Test
	void nothingGrowsWithTheKeysThatAreUsed() {
		this.engine.startListening();
		LeasedLock held = this.registry.obtain("held", LockOptions.defaults());
		assertThat(held.tryLock()).isTrue();
		for (int i = 0; i < KEYS; i++) {
			String key = "key" + i;
			watch(held, key);
			hold(key);
			lock(key);
			holdTogether(key);
			fail(key);
			lose(key);
			healthy();
			forgetCommands();
			this.engine.tickMillis(10);
		}
		assertThat(sizes()).as("while commands may still be executed").containsKey("OrphanCleaner.unreached");
		this.engine.tick(Duration.ofMinutes(30));
		assertThat(sizes()).as("of who holds a key all the time")
			.containsEntry("DefaultLease.lossActions", 0)
			.containsEntry("Entry.together", 0)
			.containsEntry("LockEngine.queues", 1);
		held.unlock();
		Map<String, Integer> sizes = new TreeMap<>(sizes());
		assertThat(sizes).containsEntry("LockEngine.queues", 0).containsEntry("CurrentThread.holds", 0);
		sizes.entrySet().removeIf((each) -> each.getValue() <= REMEMBERED.getOrDefault(each.getKey(), 1));
		assertThat(sizes).as("what is left of %d keys", KEYS).isEmpty();
	}

	private Map<String, Integer> sizes() {
		return HeldCollections.sizes(this.registry);
	}

	private void watch(LeasedLock held, String key) {
		held.lease().onLost((cause) -> {
		}).close();
		LeasedLock both = this.registry.obtainAll(List.of(held.key(), key), OPTIONS);
		assertThat(both.tryLock()).isTrue();
		both.unlock();
	}

	private void hold(String key) {
		Lease lease = this.engine.lease(key, OPTIONS);
		lease.onLost((cause) -> {
		}).close();
		CompletableFuture<Lease> cancelled = this.engine.request(key, OPTIONS);
		CompletableFuture<Lease> served = this.engine.request(key, OPTIONS);
		cancelled.cancel(true);
		lease.extend(TTL.multipliedBy(2));
		lease.close();
		served.join().close();
		this.engine.lease(key, OPTIONS.withMode(LockMode.SHARED)).close();
		this.engine.lease(key + " kept", OPTIONS.withMinHold(TTL)).close();
		this.registry.permits(key, 3, OPTIONS).acquireAsync().join().close();
	}

	private void lock(String key) {
		for (LockRegistry each : List.of(this.registry, this.registry.withHolder("holder of " + key))) {
			LeasedLock lock = each.obtain(key, OPTIONS);
			assertThat(lock.tryLock()).isTrue();
			assertThat(lock.tryLock()).isTrue();
			lock.unlock();
			lock.unlock();
		}
	}

	private void holdTogether(String key) {
		List<String> keys = List.of(key, key + " too");
		LeasedLock both = this.registry.obtainAll(keys, OPTIONS);
		assertThat(both.tryLock()).isTrue();
		both.unlock();
		this.registry.acquireAllAsync(keys, OPTIONS).join().forEach(Lease::close);
		this.store.jointAcquires().answer((commands) -> new AcquireAllReply(List.of(), key, busy()));
		assertThat(this.registry.acquireAllAsync(keys, OPTIONS.withWaitTime(Duration.ZERO))).isCompletedExceptionally();
		this.store.jointAcquires().fail(this.lost);
		this.registry.acquireAllAsync(keys, OPTIONS).cancel(true);
	}

	/**
	 * Be told that a key is busy, or nothing, and not be able to give anything back.
	 */
	private void fail(String key) {
		LockOptions once = OPTIONS.withWaitTime(Duration.ZERO);
		this.store.acquires().answer((command) -> busy());
		this.store.leaves().fail(this.lost);
		assertThat(this.engine.request(key, once)).isCompletedExceptionally();
		this.engine.request(key + " waited for", OPTIONS).cancel(true);
		this.store.acquires().fail(this.refused);
		assertThat(this.engine.request(key + " refused", once)).isCompletedExceptionally();
		this.store.releases().fail(this.lost);
		this.store.acquires().fail(this.lost);
		this.engine.request(key + " of which nobody knows", OPTIONS).cancel(true);
		this.store.signals().granted(key, "app:g" + key, new Acquired(1, 8, false));
		this.store.signals().reserved(key);
	}

	private void lose(String key) {
		healthy();
		Lease taken = this.engine.lease(key + " taken", OPTIONS);
		this.store.connection().forced(taken.key(), taken.ownerId());
		Lease expired = this.engine.lease(key + " expired", OPTIONS.withRenew(false));
		this.store.releases().fail(this.lost);
		Lease unconfirmed = this.engine.lease(key + " not given back", OPTIONS);
		unconfirmed.close();
		this.engine.time().pause(TTL);
		assertThat(expired.isValid()).isFalse();
	}

	private void healthy() {
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.jointAcquires()
			.answer((commands) -> new AcquireAllReply(commands.stream().map((command) -> this.store.granted()).toList(),
					null, null));
		this.store.releases().answer((command) -> true);
		this.store.leaves().answer((command) -> true);
	}

	private void forgetCommands() {
		this.store.journal().clear();
		Stream
			.of(this.store.acquires(), this.store.jointAcquires(), this.store.releases(), this.store.renewals(),
					this.store.leaves())
			.forEach((commands) -> commands.calls().clear());
	}

	private static Busy busy() {
		return new Busy("other:1", TTL.multipliedBy(2), Duration.ofSeconds(30), 1);
	}

}
