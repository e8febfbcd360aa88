// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.List;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link LockRegistry#withPrefix}.
 */
@Timeout(60)
class PrefixedLockRegistryTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final DefaultLockRegistry registry = new DefaultLockRegistry("instance", new MemoryLockStore(),
			RegistrySettings.defaults(), List.of());

	private final LockRegistry orders = this.registry.withPrefix("orders:");

	@AfterEach
	void stop() {
		this.registry.stop();
	}

	@Test
	void everyWayToAcquirePutsThePrefixBeforeTheKey() throws Exception {
		assertThat(this.orders.obtain("1").key()).isEqualTo("orders:1");
		assertThat(this.orders.obtain("1", DEFAULTS).key()).isEqualTo("orders:1");
		assertThat(this.orders.obtainAll(List.of("2", "1"), DEFAULTS).key()).isEqualTo("orders:1, orders:2");
		try (Lease lease = this.orders.acquire("1", DEFAULTS)) {
			assertThat(lease.key()).isEqualTo("orders:1");
		}
		try (Lease lease = this.orders.tryAcquire("1", DEFAULTS).orElseThrow()) {
			assertThat(lease.key()).isEqualTo("orders:1");
		}
		try (Lease lease = this.orders.acquireAsync("1", DEFAULTS).join()) {
			assertThat(lease.key()).isEqualTo("orders:1");
		}
		List<Lease> leases = this.orders.acquireAllAsync(List.of("2", "1"), DEFAULTS).join();
		assertThat(leases).extracting(Lease::key).containsExactly("orders:1", "orders:2");
		leases.forEach(Lease::close);
		List<Lease> held = this.orders.call("1", DEFAULTS, (scope) -> LockScope.current().leases());
		assertThat(held).extracting(Lease::key).containsExactly("orders:1");
	}

	@Test
	void aViewSharesItsLocksWithTheRegistry() {
		LeasedLock lock = this.orders.obtain("1");
		assertThat(lock.tryLock()).isTrue();
		assertThat(this.registry.obtain("orders:1").isHeldByCurrentThread()).isTrue();
		assertThat(this.registry.obtain("1").isHeldByCurrentThread()).isFalse();
		assertThat(this.registry.withPrefix("orders").obtain(":1")).isEqualTo(lock);
		lock.unlock();
	}

	@Test
	void viewsNest() {
		assertThat(this.orders.withPrefix("eu:").obtain("1").key()).isEqualTo("orders:eu:1");
		LeasedLock lock = this.orders.withHolder("saga").obtain("1");
		assertThat(lock.tryLock()).isTrue();
		assertThat(this.registry.withHolder("saga").obtain("orders:1").holdCount()).isOne();
		lock.unlock();
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " " })
	void aBlankPrefixIsRefused(String prefix) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.withPrefix(prefix))
			.withMessageContaining("prefix must not be blank");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", " " })
	void aBlankKeyIsRefused(String key) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.orders.obtain(key))
			.withMessageContaining("'orders:'");
	}

}
