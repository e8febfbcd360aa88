// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore.Busy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks, which belong to a thread, and for calls under one.
 */
@Timeout(60)
class LeasedLockTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final LockRegistry registry = this.engine.registry();

	private final LeasedLock lock = this.registry.obtain(KEY);

	@Test
	void obtainingALockAcquiresNothing() {
		assertThat(this.lock.key()).isEqualTo(KEY);
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.store.journal()).isEmpty();
	}

	@Test
	void aNestedAcquisitionSendsNothing() throws Exception {
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.lock();
		this.lock.lockInterruptibly();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		int depth = this.registry.call(KEY, DEFAULTS, (scope) -> this.lock.holdCount());
		assertThat(depth).isEqualTo(7);
		assertThat(this.lock.holdCount()).isEqualTo(6);
		assertThat(this.store.journal()).hasSize(1);
		unlock(5);
		assertThat(this.lock.holdCount()).isOne();
		assertThat(this.store.releases().count()).isZero();
		unlock(1);
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void theFencingTokenStaysTheSameWithinANest() {
		hold(1);
		Lease lease = this.lock.lease();
		hold(2);
		assertThat(this.lock.lease()).isSameAs(lease);
		unlock(3);
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void twoViewsOfAKeyAreOneLock() {
		LeasedLock other = this.registry.obtain(KEY, DEFAULTS.withTtl(Duration.ofSeconds(5)));
		hold(1);
		assertThat(other.holdCount()).isOne();
		assertThat(other.tryLock()).isTrue();
		other.unlock();
		assertThat(other.lease()).isSameAs(this.lock.lease());
		other.unlock();
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void viewsWithTheSameOptionsAreEqual() {
		assertThat(this.registry.obtain(KEY)).isEqualTo(this.lock).hasSameHashCodeAs(this.lock);
		assertThat(this.registry.obtain(KEY, DEFAULTS.withTtl(Duration.ofSeconds(5)))).isNotEqualTo(this.lock);
		assertThat(this.registry.obtain("another")).isNotEqualTo(this.lock);
		assertThat(new ManualEngine().registry().obtain(KEY)).isNotEqualTo(this.lock);
		LeasedLock both = this.registry.obtainAll(List.of("a", "b"), DEFAULTS);
		assertThat(this.registry.obtainAll(List.of("b", "a"), DEFAULTS)).isEqualTo(both).hasSameHashCodeAs(both);
		assertThat(this.registry.obtainAll(List.of("a", "c"), DEFAULTS)).isNotEqualTo(both);
		assertThat(this.registry.obtainAll(List.of(KEY), DEFAULTS)).isEqualTo(this.lock);
	}

	@Test
	void theLockIsHeldByTheCurrentThreadAlone() {
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
		hold(1);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThat(Caller.start(this.lock::isHeldByCurrentThread).value()).isFalse();
		this.engine.time().pause(ManualEngine.TERM);
		assertThat(this.lock.isHeldByCurrentThread()).isTrue();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThat(this.lock.isHeldByCurrentThread()).isFalse();
	}

	@Test
	void aNestedAcquisitionKeepsTheTtlOfTheFirst() {
		LeasedLock longer = this.registry.obtain(KEY, DEFAULTS.withTtl(Duration.ofHours(1)));
		hold(1);
		assertThat(longer.tryLock()).isTrue();
		assertThat(longer.lease().ttl()).isEqualTo(ManualEngine.TTL);
		assertThat(this.store.journal()).hasSize(1);
		unlock(2);
	}

	@Test
	void locksOfDifferentKeysAreIndependent() {
		LeasedLock other = this.registry.obtain("another");
		hold(1);
		assertThat(other.holdCount()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(other::unlock);
		assertThat(this.lock.holdCount()).isOne();
	}

	@Test
	void aLeaseIsNotReentrantAndALockDoesNotUseIt() {
		this.engine.lease();
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void anotherThreadCanNeitherEnterNorUnlock() {
		hold(1);
		assertThat(Caller.start(this.lock::tryLock).value()).isFalse();
		assertThat(Caller.start(this.lock::holdCount).value()).isZero();
		assertThat(Caller.start(this.lock::lease).failure()).isInstanceOf(IllegalMonitorStateException.class);
		assertThat(Caller.start(() -> {
			this.lock.unlock();
			return true;
		}).failure()).isInstanceOf(IllegalMonitorStateException.class)
			.hasMessageContaining(KEY)
			.hasMessageContaining("caller");
		assertThat(this.lock.lease().isValid()).isTrue();
		assertThat(this.store.releases().count()).isZero();
	}

	@Test
	void oneUnlockTooManyIsRefused() {
		hold(1);
		unlock(1);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining(KEY);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::lease);
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void reenteringALostLockSaysThatItWasLost() {
		hold(1);
		long token = this.lock.lease().fencingToken();
		this.engine.tickMillis(1);
		this.engine.time().pause(ManualEngine.TERM);
		int commands = this.store.acquires().count();
		List<Runnable> attempts = List.of(this.lock::lock, this.lock::tryLock,
				() -> this.registry.call(KEY, DEFAULTS, (scope) -> true));
		for (Runnable attempt : attempts) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(attempt::run).satisfies((lost) -> {
				assertThat(lost)
					.hasMessageContaining("had it then, and can lock it again when it has unlocked it as often");
				assertThat(lost.fencingToken()).isEqualTo(token);
				assertThat(lost.lossCause()).isEqualTo(LossCause.EXPIRED);
			});
		}
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.lock.tryLock(1, TimeUnit.SECONDS));
		assertThat(this.lock.holdCount()).isOne();
		assertThat(this.store.acquires().count()).isEqualTo(commands);
	}

	@Test
	void theLastUnlockOfALostLockSaysThatItWasLostAndTheThreadCanLockAgain() {
		hold(3);
		this.engine.time().pause(ManualEngine.TERM);
		unlock(2);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining(KEY)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.EXPIRED));
		assertThat(this.lock.holdCount()).isZero();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
		hold(1);
		assertThat(this.lock.lease().isValid()).isTrue();
		unlock(1);
	}

	@Test
	void anUnlockThatFindsTheKeyTakenSaysSo() {
		hold(1);
		this.store.releases().answer((command) -> false);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.TAKEN));
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void anUnlockThatIsNotConfirmedReturnsAndIsToldToListeners() {
		hold(1);
		this.store.releases().fail(new LockStoreException("read only", false, null));
		unlock(1);
		assertThat(this.engine.events().unconfirmed()).hasSize(1);
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.lock.tryLock()).isTrue();
	}

	@Test
	void aLockThatFailsToBeAcquiredIsNotHeld() {
		this.store.acquires().fail(new LockStoreException("refused", false, null));
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::lock);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::tryLock);
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void aLeaseThatWasReleasedBehindTheLockDoesNotWedgeTheThread() {
		hold(1);
		this.lock.lease().close();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.lock::lock);
		unlock(1);
		hold(1);
		assertThat(this.lock.lease().isValid()).isTrue();
	}

	@Test
	void aLeaseOfALockCanBeReleasedByAnotherThread() {
		hold(1);
		Lease lease = this.lock.lease();
		assertThat(Caller.start(() -> lease.releaseAsync().join()).value()).isTrue();
		assertThat(Caller.start(this.lock::tryLock).value()).isTrue();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition)
			.withMessageContaining(KEY);
	}

	@Test
	void tryLockDoesNotOvertakeWhoWaits() {
		this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofMinutes(5)));
		CompletableFuture<Lease> waiting = this.engine.request(KEY, DEFAULTS);
		this.store.acquires().answer((command) -> this.store.granted());
		assertThat(this.lock.tryLock()).isFalse();
		assertThat(waiting).isNotDone();
	}

	@Test
	void theWaitTimeOfTheOptionsIsNotThatOfTheLock() {
		LeasedLock hasty = this.registry.obtain(KEY, DEFAULTS.withWaitTime(Duration.ZERO));
		Lease held = this.engine.lease();
		Caller<Integer> caller = Caller.start(() -> {
			hasty.lockInterruptibly();
			return hasty.holdCount();
		}).awaitParked();
		assertThat(caller.isDone()).isFalse();
		held.close();
		assertThat(caller.value()).isOne();
	}

	@Test
	void theTextOfALockSaysWhatItIs() {
		hold(2);
		assertThat(this.lock).asString().contains(KEY).contains("2");
		assertThat(this.lock.lease()).asString().contains(KEY).contains("held");
		Lease lease = this.lock.lease();
		unlock(2);
		assertThat(lease).asString().contains("closed");
	}

	// Calls

	@Test
	void aCallReturnsTheResultAndReleases() {
		String result = this.registry.call(KEY, DEFAULTS, (scope) -> "done " + this.lock.holdCount());
		assertThat(result).isEqualTo("done 1");
		assertThat(this.store.releases().count()).isOne();
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void aCallMayReturnNull() {
		String result = this.registry.call(KEY, DEFAULTS, (scope) -> null);
		assertThat(result).isNull();
	}

	@Test
	void nestedCallsSendNothingMore() {
		int depth = this.registry.call(KEY, DEFAULTS, (outer) -> this.registry.call(KEY, DEFAULTS,
				(inner) -> this.registry.call(KEY, DEFAULTS, (innermost) -> this.lock.holdCount())));
		assertThat(depth).isEqualTo(3);
		assertThat(this.store.journal()).hasSize(2);
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void whatTheActionThrowsIsThrownAndTheLockIsReleased() {
		IOException failure = new IOException("disk");
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> this.registry.call(KEY, DEFAULTS, (scope) -> {
			throw failure;
		})).isSameAs(failure);
		assertThat(this.lock.holdCount()).isZero();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void theOutcomeOfTheActionIsNotReplacedByALossOrAReleaseThatIsNotConfirmed() {
		String lost = this.registry.call(KEY, DEFAULTS, (scope) -> {
			this.engine.time().pause(ManualEngine.TERM);
			return "done";
		});
		assertThat(lost).isEqualTo("done");
		assertThat(this.engine.events().losses()).hasSize(1);
		this.store.releases().throwAtOnce(new IllegalStateException("closed"));
		String unconfirmed = this.registry.call(KEY, DEFAULTS, (scope) -> "done");
		assertThat(unconfirmed).isEqualTo("done");
		assertThat(this.engine.events().unconfirmed()).hasSize(1);
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void theActionOfACallForABusyKeyDoesNotRun() {
		this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofMinutes(5)));
		List<String> runs = new ArrayList<>();
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.registry.call(KEY, DEFAULTS.withWaitTime(Duration.ZERO), (scope) -> runs.add("ran")))
			.satisfies((busy) -> assertThat(busy.holders()).containsExactly("other:1"));
		assertThat(runs).isEmpty();
		assertThat(this.lock.holdCount()).isZero();
	}

	@Test
	void twoRegistriesDoNotShareTheHoldsOfAThread() {
		ManualEngine another = new ManualEngine();
		hold(1);
		assertThat(another.registry().obtain(KEY).holdCount()).isZero();
	}

	private void hold(int times) {
		for (int i = 0; i < times; i++) {
			assertThat(this.lock.tryLock()).isTrue();
		}
	}

	private void unlock(int times) {
		for (int i = 0; i < times; i++) {
			this.lock.unlock();
		}
	}

}
