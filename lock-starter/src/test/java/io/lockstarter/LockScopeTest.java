// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Leases as a protected section sees them.
 */
class LockScopeTest {

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final MemoryLockStore store = new MemoryLockStore();

	private final DefaultLockRegistry registry = new DefaultLockRegistry("test", this.store,
			RegistrySettings.defaults(), List.of());

	@AfterEach
	void stop() {
		assertThat(LockScope.find()).isEmpty();
		this.registry.stop();
		this.store.close();
	}

	@Test
	void threadWithoutALockHasNoScope() {
		assertThatIllegalStateException().isThrownBy(LockScope::current)
			.withMessageContaining(Thread.currentThread().getName());
		LockScope.checkAll();
	}

	@Test
	void actionOfCallHasItsLease() {
		LockScope left = this.registry.call("a", DEFAULTS, (scope) -> {
			assertThat(LockScope.current()).isSameAs(scope);
			assertThat(scope.leases()).extracting(Lease::key).containsExactly("a");
			assertThat(scope.fencingToken()).isEqualTo(scope.lease("a").fencingToken()).isPositive();
			assertThat(scope.isValid()).isTrue();
			assertThat(scope.remaining()).isPositive().isLessThanOrEqualTo(RegistrySettings.defaults().ttl());
			scope.checkValid();
			return scope;
		});
		assertThat(left.isValid()).isFalse();
		assertThat(left.remaining()).isZero();
		assertThatIllegalStateException().isThrownBy(left::checkValid).withMessageContaining("'a' is closed");
	}

	@Test
	void scopesNestAndTheInnermostIsTheCurrentOne() {
		this.registry.<Object, RuntimeException>call("a", DEFAULTS, (outer) -> {
			assertThat(LockScope.current()).isSameAs(outer);
			this.registry.<Object, RuntimeException>call("b", DEFAULTS, (scope) -> {
				assertThat(LockScope.current().leases()).extracting(Lease::key).containsExactly("b");
				assertThatIllegalArgumentException().isThrownBy(() -> LockScope.current().lease("a"))
					.withMessageContaining("[b]");
				return "";
			});
			assertThat(LockScope.current()).isSameAs(outer);
			return "";
		});
	}

	@Test
	void reentrantCallSeesTheLeaseOfTheOuterOne() {
		this.registry.<Object, RuntimeException>call("a", DEFAULTS, (outer) -> {
			long token = outer.fencingToken();
			long nested = this.registry.call("a", DEFAULTS, LockScope::fencingToken);
			assertThat(nested).isEqualTo(token);
			return "";
		});
	}

	@Test
	void scopeEndsWithAnActionThatFails() {
		assertThatIOException().isThrownBy(() -> this.registry.call("a", DEFAULTS, (scope) -> {
			throw new IOException("own");
		}));
		assertThat(LockScope.find()).isEmpty();
	}

	@Test
	void severalLeasesHaveNoCommonTokenAndTheEarliestDeadlineCounts() throws Exception {
		List<Lease> leases = this.registry.acquireAllAsync(List.of("b", "a"), DEFAULTS.withTtl(Duration.ofMinutes(1)))
			.get(10, TimeUnit.SECONDS);
		Lease other = this.registry.acquire("c", DEFAULTS.withTtl(Duration.ofSeconds(10)));
		LockScope scope = LockScope.of(List.of(leases.get(0), leases.get(1), other));
		assertThatIllegalStateException().isThrownBy(scope::fencingToken)
			.withMessageContaining("lease(key).fencingToken()");
		assertThat(scope.lease("b").fencingToken()).isPositive();
		assertThat(scope.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
		other.close();
		assertThat(scope.isValid()).as("one of three was closed").isFalse();
		leases.forEach(Lease::close);
	}

	@Test
	void lossOfAnOuterLeaseIsFoundByCheckAllOnly() throws Exception {
		LockOptions brief = DEFAULTS.withTtl(Duration.ofMillis(50)).withRenew(false);
		try (Lease outer = this.registry.acquire("brief", brief); Lease inner = this.registry.acquire("a", DEFAULTS)) {
			LockScope.of(List.of(outer)).<Object, RuntimeException>call((first) -> {
				LockScope.checkAll();
				return LockScope.of(List.of(inner)).<Object, RuntimeException>call((second) -> {
					await().until(() -> !outer.isValid());
					LockScope.current().checkValid();
					assertThatExceptionOfType(LockLostException.class).isThrownBy(LockScope::checkAll)
						.satisfies((lost) -> assertThat(lost.key()).isEqualTo("brief"));
					return "";
				});
			});
		}
	}

	@Test
	void scopeMayBeHandedToAnotherThread() throws Exception {
		ExecutorService executor = Executors.newSingleThreadExecutor();
		try {
			this.registry.<Object, Exception>call("a", DEFAULTS, (scope) -> {
				CompletableFuture<Boolean> bare = CompletableFuture.supplyAsync(() -> LockScope.find().isPresent(),
						executor);
				assertThat(bare.get(10, TimeUnit.SECONDS)).isFalse();
				CompletableFuture<LockScope> handed = CompletableFuture
					.supplyAsync(() -> scope.call((current) -> LockScope.current()), executor);
				assertThat(handed.get(10, TimeUnit.SECONDS)).isSameAs(scope);
				CompletableFuture<Boolean> after = CompletableFuture.supplyAsync(() -> LockScope.find().isPresent(),
						executor);
				assertThat(after.get(10, TimeUnit.SECONDS)).isFalse();
				return "";
			});
		}
		finally {
			executor.shutdown();
		}
	}

	@Test
	void scopeNeedsALease() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockScope.of(List.of()));
	}

}
