// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

/**
 * Tests for the ways to acquire and to run something under a lock, in their short forms
 * and with several keys.
 */
@Timeout(60)
class RegistryMethodsTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final ManualEngine engine = new ManualEngine();

	private final LockRegistry registry = this.engine.registry();

	@Test
	void whoTriesDoesNotWaitUnlessToldTo() throws Exception {
		Lease held = this.engine.lease();
		assertThat(this.registry.tryAcquire(KEY)).isEmpty();
		assertThat(this.registry.tryCall(KEY, LockOptions.defaults(), (scope) -> true)).isEmpty();
		LockOptions patient = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));
		Caller<Boolean> caller = Caller.start(() -> this.registry.tryCall(KEY, patient, (scope) -> true).isPresent())
			.awaitParked();
		held.close();
		assertThat(caller.value()).isTrue();
	}

	@Test
	@SuppressWarnings("NullAway") // as callers without it may do
	void aResultOfNullDoesNotLookLikeABusyKey() {
		assertThatNullPointerException().isThrownBy(() -> this.registry.tryCall(KEY, ONCE, (scope) -> null))
			.withMessageContaining("The action ran and returned null");
		assertThat(this.engine.registry().held()).isEmpty();
	}

	@Test
	void leasesAreAcquiredWithTheDefaultOptions() throws Exception {
		this.registry.acquire("a").close();
		this.registry.tryAcquire("b").orElseThrow().close();
		this.registry.acquireAsync("c").join().close();
		assertThat(this.engine.store().acquires().calls()).extracting((call) -> call.command().ttl())
			.containsExactly(ManualEngine.TTL, ManualEngine.TTL, ManualEngine.TTL);
	}

	@Test
	void severalLeasesAreAcquiredAllOrNone() throws Exception {
		List<Lease> leases = this.registry.acquireAll(List.of("b", "a", "b"), ONCE);
		assertThat(leases).extracting(Lease::key).containsExactly("a", "b");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.registry.acquireAll(List.of("b", "c"), ONCE))
			.satisfies((busy) -> assertThat(busy.key()).isEqualTo("b"));
		assertThat(this.engine.registry().held()).hasSize(2);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.registry.acquireAll(List.of("x", "y"), ONCE));
		leases.forEach(Lease::close);
	}

	@Test
	void anActionGetsTheLeasesOfItsSection() {
		List<Lease> leases = this.registry.callAll(List.of("b", "a"), ONCE, LockScope::leases);
		assertThat(leases).extracting(Lease::key).containsExactly("a", "b");
		assertThat(leases).noneMatch(Lease::isValid);
		long token = this.registry.call(KEY, LockScope::fencingToken);
		assertThat(token).isPositive();
		assertThat(this.registry.callAll(List.of(KEY), ONCE, LockScope::fencingToken)).isGreaterThan(token);
	}

	@Test
	void aLostLeaseDoesNotReplaceWhatTheActionDid() {
		String result = this.registry.callAll(List.of("a", "b"), ONCE.withRenew(false), (scope) -> {
			this.engine.time().pause(ManualEngine.TERM);
			assertThat(scope.isValid()).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
	}

	@Test
	void aTaskReturnsNothingAndThrowsWhatItThrows() {
		List<Long> tokens = new ArrayList<>();
		this.registry.run(KEY, (scope) -> tokens.add(scope.fencingToken()));
		assertThat(tokens).hasSize(1);
		assertThatIOException().isThrownBy(() -> this.registry.run(KEY, ONCE, (scope) -> {
			throw new IOException("own");
		}));
		assertThat(this.engine.registry().held()).isEmpty();
	}

	@Test
	void anInterruptEndsTheWaitOfWhoTriesToCall() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> this.registry.tryCall(KEY, ONCE, (scope) -> true))
			.satisfies((failure) -> assertThat(failure.key()).isEqualTo(KEY));
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aLockIsTriedForADuration() throws Exception {
		LeasedLock lock = this.registry.obtain(KEY);
		assertThat(lock.tryLock(Duration.ofSeconds(Long.MAX_VALUE))).isTrue();
		assertThat(Caller.start(() -> this.registry.obtain(KEY).tryLock(Duration.ofSeconds(-1))).value()).isFalse();
		lock.unlock();
	}

	@Test
	void aPrefixCountsForAllOfThem() throws Exception {
		LockRegistry orders = this.registry.withPrefix("orders:");
		assertThat(orders.acquireAll(List.of("1", "2"), ONCE)).extracting(Lease::key)
			.containsExactly("orders:1", "orders:2");
		String key = orders.callAll(List.of("3"), ONCE, (scope) -> scope.leases().get(0).key());
		assertThat(key).isEqualTo("orders:3");
		assertThat(orders.tryCall("4", ONCE, (scope) -> scope.leases().get(0).key())).contains("orders:4");
		assertThatIllegalArgumentException().isThrownBy(() -> orders.tryCall(" ", ONCE, (scope) -> true));
		assertThat(orders.acquireAsync(" ")).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class);
		assertThat(orders.acquireAllAsync(List.of(" "), ONCE)).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void aHolderIsThatOfItsCalls() {
		LockRegistry saga = this.registry.withHolder("saga");
		int holds = saga.callAll(List.of("a", "b"), ONCE, (scope) -> saga.obtain("a").holdCount());
		assertThat(holds).isOne();
		assertThat(saga.tryCall("a", ONCE, (scope) -> saga.obtain("a").holdCount())).contains(1);
	}

}
