// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LeasedLock;
import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for locks that belong to a holder in place of a thread.
 */
@Timeout(60)
class HolderLockTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final LockRegistry registry = this.engine.registry();

	private final LockRegistry order = this.registry.withHolder("order-1");

	private final LeasedLock lock = this.order.obtain(KEY);

	@Test
	void aHolderReleasesOnAnotherThread() {
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(Caller.start(() -> {
			this.lock.unlock();
			return this.lock.holdCount();
		}).value()).isZero();
		assertThat(this.store.releases().count()).isOne();
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
	}

	@Test
	void aHolderReentersOnAnotherThreadAndInAnotherView() throws Exception {
		assertThat(this.lock.tryLock()).isTrue();
		LeasedLock same = this.registry.withHolder("order-" + 1).obtain(KEY);
		assertThat(Caller.start(same::tryLock).value()).isTrue();
		assertThat(this.order.<Integer, RuntimeException>call(KEY, DEFAULTS, (scope) -> same.holdCount())).isEqualTo(3);
		assertThat(this.order.withHolder("order-1").obtain(KEY).holdCount()).isEqualTo(2);
		assertThat(this.store.acquires().count()).isOne();
		this.lock.unlock();
		same.unlock();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void anotherHolderOfTheSameThreadFindsTheKeyBusy() {
		assertThat(this.lock.tryLock()).isTrue();
		LeasedLock other = this.registry.withHolder("order-2").obtain(KEY);
		LeasedLock ofThread = this.registry.obtain(KEY);
		assertThat(other.tryLock()).isFalse();
		assertThat(ofThread.tryLock()).isFalse();
		assertThat(ofThread.isHeldByCurrentThread()).isFalse();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(other::unlock)
			.withMessage(
					"""
							Lock '%s' is not held by holder 'order-2'. Only whoever locked it can unlock it, as often as that was; a \
							Lease, which LockRegistry.acquire returns, can be closed by any thread""",
					KEY);
		this.lock.unlock();
		assertThat(other.tryLock()).isTrue();
	}

	@Test
	void aHolderHasSeveralKeysAtOnce() {
		LeasedLock both = this.order.obtainAll(List.of(KEY, "another"), DEFAULTS);
		both.lock();
		assertThat(this.lock.holdCount()).isOne();
		assertThat(Caller.start(() -> {
			both.unlock();
			return both.holdCount();
		}).value()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(both::unlock)
			.withMessageContaining("holder 'order-1'");
	}

	@Test
	void twoThreadsThatActForAHolderAtOnceDoNotShareALease() throws Exception {
		this.store.acquires().hold();
		Caller<Boolean> first = Caller.start(this.lock::tryLock).awaitParked();
		Caller<Boolean> second = Caller.start(() -> this.lock.tryLock(1, TimeUnit.HOURS)).awaitParked();
		this.store.acquires().answer((command) -> this.store.granted());
		this.store.acquires().last().answer(this.store.granted());
		assertThat(first.value()).isTrue();
		// The first lease is lost without having been released.
		this.engine.time().pause(ManualEngine.TERM);
		this.engine.tick(ManualEngine.TTL);
		assertThat(second.failure()).isInstanceOf(LockLostException.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThat(this.lock.tryLock()).isTrue();
	}

	@Test
	void severalKeysThatAHolderAcquiresTwiceAtOnceAreAllGivenBack() {
		Lease blocking = this.engine.lease();
		Caller<Boolean> first = Caller.start(() -> this.lock.tryLock(1, TimeUnit.HOURS)).awaitParked();
		LeasedLock both = this.order.obtainAll(List.of("another", KEY), DEFAULTS);
		Caller<Boolean> second = Caller.start(() -> both.tryLock(1, TimeUnit.HOURS)).awaitParked();
		blocking.close();
		assertThat(first.value()).isTrue();
		this.engine.time().pause(ManualEngine.TERM);
		this.engine.tick(ManualEngine.TTL);
		assertThat(second.failure()).isInstanceOf(LockLostException.class);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThat(this.engine.registry().held()).isEmpty();
		assertThat(this.engine.registry().namedHoldCount()).isZero();
	}

	@Test
	void locksOfOneHolderAreEqual() {
		assertThat(this.registry.withHolder("order-1")).isEqualTo(this.order).hasSameHashCodeAs(this.order);
		assertThat(this.registry.withHolder("order-1").obtain(KEY)).isEqualTo(this.lock).hasSameHashCodeAs(this.lock);
		assertThat(this.registry.withHolder("order-2").obtain(KEY)).isNotEqualTo(this.lock);
		assertThat(this.registry.obtain(KEY)).isNotEqualTo(this.lock);
		assertThat(new ManualEngine().registry().withHolder("order-1").obtain(KEY)).isNotEqualTo(this.lock);
	}

	@Test
	void leasesAreTheSameInAView() throws Exception {
		try (Lease lease = this.order.acquire(KEY, DEFAULTS)) {
			assertThat(this.order.tryAcquire(KEY, DEFAULTS.withWaitTime(Duration.ZERO))).isEmpty();
			CompletableFuture<Lease> next = this.order.acquireAsync(KEY, DEFAULTS);
			assertThat(lease.releaseAsync()).isCompletedWithValue(true);
			next.join().close();
		}
		assertThat(this.order.acquireAllAsync(List.of("a", "b"), DEFAULTS).join()).hasSize(2);
	}

	@Test
	void nothingIsLeftOfAHolder() {
		for (int i = 0; i < 1000; i++) {
			LeasedLock next = this.registry.withHolder(i).obtain(KEY);
			assertThat(next.tryLock()).isTrue();
			next.unlock();
		}
		assertThat(this.engine.registry().namedHoldCount()).isZero();
	}

	@Test
	void aHolderMustBeNamed() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.withHolder(null))
			.withMessageContaining("holder must not be null");
	}

}
