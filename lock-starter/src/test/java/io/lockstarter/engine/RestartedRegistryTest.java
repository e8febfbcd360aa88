package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
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
			.call(() -> assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> engine.registry().acquire(ManualEngine.KEY, ONCE))
				.withMessageContaining("outer call"));
	}

	private static DefaultLockRegistry restarted(LockStore store) {
		DefaultLockRegistry registry = new DefaultLockRegistry("app", store, ManualEngine.settings(), List.of());
		registry.stop();
		registry.start();
		return registry;
	}

}
