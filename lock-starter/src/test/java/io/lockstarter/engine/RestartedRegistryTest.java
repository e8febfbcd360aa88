// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for who a registry is: another one after each restart, and known to itself.
 */
class RestartedRegistryTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	@Test
	void copiesOfAStoppedRegistryExcludeEachOther() throws Exception {
		MemoryLockStore store = new MemoryLockStore();
		DefaultLockRegistry first = restarted(store);
		DefaultLockRegistry second = restarted(store);
		assertThat(first.instanceId()).startsWith("app-").isNotEqualTo(second.instanceId());
		try (Lease lease = first.acquire("key", ONCE)) {
			assertThat(second.tryAcquire("key", ONCE)).isEmpty();
			assertThat(lease.isValid()).isTrue();
		}
		first.stop();
		second.stop();
	}

	@Test
	void whoWaitsForItsOwnInstanceIsToldSo() {
		ManualEngine engine = new ManualEngine();
		Lease lease = engine.lease();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> engine.registry().acquire(ManualEngine.KEY, ONCE))
			.withMessageContaining("held by this instance (app:1)");
		LockScope.of(List.of(lease))
			.call((scope) -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> engine.registry().acquire(ManualEngine.KEY, ONCE))
				.withMessageContaining("outer call"));
	}

	@Test
	void whoWaitsAsynchronouslyForAnOuterCallIsToldSo() {
		ManualEngine engine = new ManualEngine();
		LockOptions shortly = LockOptions.defaults().withWaitTime(Duration.ofMillis(100));
		Lease lease = engine.lease();
		List<CompletableFuture<?>> requests = LockScope.of(List.of(lease))
			.call((scope) -> List.of(engine.request(ManualEngine.KEY, shortly),
					engine.registry().acquireAllAsync(List.of(ManualEngine.KEY, "other"), shortly)));
		CompletableFuture<Lease> outside = engine.request(ManualEngine.KEY, shortly);
		engine.tick(Duration.ofMinutes(1));
		assertThat(requests).allSatisfy((request) -> assertThat(request).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining("held by this instance (app:1), and that by an outer call"));
		assertThat(outside).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withMessageContaining("held by this instance (app:1)")
			.withMessageNotContaining("outer call");
	}

	@Test
	void copiesOfARunningRegistryUseOwnerIdsOfTheirOwnAfterTheyConnectedAnew() {
		assertThat(ownerIdsBeforeAndAfterAReconnect()).satisfies((original) -> {
			List<String> copy = ownerIdsBeforeAndAfterAReconnect();
			assertThat(copy.get(0)).isEqualTo(original.get(0));
			assertThat(copy.get(1)).isNotEqualTo(original.get(1));
		});
	}

	private static List<String> ownerIdsBeforeAndAfterAReconnect() {
		ManualEngine engine = new ManualEngine();
		engine.lease("first", ONCE);
		String before = engine.store().acquires().last().command().ownerId();
		engine.store().connection().reconnected();
		engine.lease("second", ONCE);
		return List.of(before, engine.store().acquires().last().command().ownerId());
	}

	private static DefaultLockRegistry restarted(LockStore store) {
		DefaultLockRegistry registry = new DefaultLockRegistry("app", store, ManualEngine.settings(), List.of());
		registry.stop();
		registry.start();
		return registry;
	}

}
