// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.ManualRedis;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Registries, and the store with its connections, on one thread and in time that passes
 * when the test says so.
 */
class SimulatedEngineTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	/**
	 * Before a connection is replaced that never worked.
	 */
	private static final Duration PAUSE = Duration.ofMillis(50);

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private Set<Thread> before = Set.of();

	@BeforeEach
	void rememberThreads() {
		this.before = Thread.getAllStackTraces().keySet();
	}

	@AfterEach
	void noThreadWasStarted() {
		assertThat(Thread.getAllStackTraces().keySet())
			.filteredOn((thread) -> thread.getName().startsWith("lock-") || thread.getName().startsWith("lettuce-")
					|| thread.getName().startsWith("ForkJoinPool"))
			.isSubsetOf(this.before);
	}

	@Test
	void registriesHandAKeyOnInTheMemoryOfOneThread() {
		MemoryLockStore store = MemoryStores.on(this.platform);
		DefaultLockRegistry first = registry("first", store);
		DefaultLockRegistry second = registry("second", store);
		CompletableFuture<Lease> held = first.acquireAsync("key", DEFAULTS);
		this.platform.run();
		CompletableFuture<Lease> waiting = second.acquireAsync("key", DEFAULTS);
		this.platform.pass(Duration.ofSeconds(5));
		assertThat(waiting).isNotDone();
		var unusedRelease = held.join().releaseAsync();
		this.platform.run();
		assertThat(waiting).isCompleted();
		assertThat(waiting.join().fencingToken()).isGreaterThan(held.join().fencingToken());
		this.platform.pass(Duration.ofMinutes(5));
		assertThat(waiting.join().isValid()).as("renewed").isTrue();
		var unusedLast = waiting.join().releaseAsync();
		this.platform.run();
		first.stop();
		second.stop();
	}

	@Test
	void theRedisStoreConnectsSendsAndIsToldOfSignalsWithoutASocket() {
		ManualRedis redis = new ManualRedis();
		RedisLockStore store = redis.store(this.platform);
		DefaultLockRegistry registry = registry("app", store);
		CompletableFuture<Lease> granted = registry.acquireAsync("key", DEFAULTS);
		this.platform.run();
		assertThat(granted).isNotDone();
		ManualRedis.Call acquire = redis.nextCall();
		assertThat(acquire.words()).contains("acquire", "app:1");
		acquire.answer(1000);
		this.platform.run();
		assertThat(granted.join().fencingToken()).isEqualTo(1000);
		CompletableFuture<Lease> busy = registry.acquireAsync("other", DEFAULTS);
		redis.nextCall().answer("30000 0 1001 else:1");
		this.platform.run();
		assertThat(redis.connections()).as("one for commands and signals").hasSize(1);
		ManualRedis.Call joined = redis.nextCall();
		assertThat(joined.words()).as("now that it can be told").containsSubsequence("+join+grant", "acquire");
		joined.answer("30000 0 1001 else:1");
		this.platform.run();
		redis.connections().get(0).push(List.of("message", "{lock}signal:app", "rother"));
		this.platform.run();
		ManualRedis.Call again = redis.nextCall();
		assertThat(again.locked()).containsExactly("other");
		again.answer(2000);
		this.platform.run();
		assertThat(busy.join().fencingToken()).isEqualTo(2000);
		registry.stop();
		store.close();
		assertThat(redis.connections()).isEmpty();
	}

	@Test
	void aConnectionThatIsCutIsReplacedAndTheLeaseRenewedOverTheNext() {
		ManualRedis redis = new ManualRedis();
		RedisLockStore store = redis.store(this.platform);
		DefaultLockRegistry registry = registry("app", store);
		CompletableFuture<Lease> granted = registry.acquireAsync("key", DEFAULTS);
		this.platform.run();
		ManualRedis.Call lost = redis.nextCall();
		lost.connection().cut();
		this.platform.pass(PAUSE);
		ManualRedis.Call again = redis.nextCall();
		assertThat(again.connection()).isNotSameAs(lost.connection());
		assertThat(again.locked()).containsExactly("key");
		again.answer(1000);
		this.platform.run();
		assertThat(granted).isCompleted();
		again.connection().cut();
		this.platform.run();
		ManualRedis.Call renewal = redis.nextCall();
		assertThat(renewal.words()).contains("renew", "app:1");
		this.platform.pass(Duration.ofSeconds(31));
		assertThat(granted.join().isValid()).as("without an answer").isFalse();
		registry.stop();
		store.close();
	}

	private DefaultLockRegistry registry(String instance, LockStore store) {
		return new DefaultLockRegistry(instance, store, ManualEngine.settings(), List.of(), List.of(), this.platform);
	}

}
