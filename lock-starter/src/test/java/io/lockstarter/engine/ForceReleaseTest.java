// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.mock;

/**
 * What becomes of holders, and of those who wait, when a lock is released by force.
 */
@SuppressWarnings("LockNotBeforeTry") // what happens without is tested
class ForceReleaseTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(5));

	private final ManualTiming time = new ManualTiming();

	private final MemoryLockStore store = MemoryStores.on(this.time.tasksInTicks());

	private final RecordedEvents events = new RecordedEvents();

	private final RecordedEvents otherEvents = new RecordedEvents();

	private final DefaultLockRegistry registry = new DefaultLockRegistry("app", this.store, ManualEngine.settings(),
			List.of(this.events), List.of(), this.time);

	private final DefaultLockRegistry other = new DefaultLockRegistry("other", this.store, ManualEngine.settings(),
			List.of(this.otherEvents), List.of(), this.time);

	@Test
	void aHolderInThisInstanceIsToldAtOnce() {
		Lease lease = lease(this.registry, LockOptions.defaults());
		assertThat(this.registry.forceRelease(KEY, null)).isCompletedWithValue(true);
		assertThat(lease.isValid()).isFalse();
		assertThat(this.events.losses()).extracting(RecordedEvents.Loss::cause).containsExactly(LossCause.FORCED);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkValid)
			.withMessageContaining("by force")
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORCED));
		assertThat(this.registry.held()).isEmpty();
		assertThat(lease(this.other, ONCE).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void aLocalWaiterGetsTheKeyWithALargerToken() {
		Lease lease = lease(this.registry, LockOptions.defaults());
		CompletableFuture<Lease> waiting = this.registry.acquireAsync(KEY, PATIENT);
		this.registry.forceRelease(KEY, null).join();
		assertThat(waiting.join().fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(this.events.losses()).hasSize(1);
	}

	@Test
	void aWaiterInAnotherInstanceGetsTheKeyWithoutTimePassing() {
		lease(this.registry, LockOptions.defaults());
		CompletableFuture<Lease> waiting = this.other.acquireAsync(KEY, PATIENT);
		receiveSignals();
		assertThat(this.other.inspect(KEY).join().queue()).hasSize(1);
		this.registry.forceRelease(KEY, null).join();
		assertThat(waiting).isNotDone();
		receiveSignals();
		assertThat(waiting).isCompleted();
		assertThat(this.events.losses()).extracting(RecordedEvents.Loss::cause).containsExactly(LossCause.FORCED);
	}

	@Test
	void aHolderThatReceivesNoSignalsLearnsItFromItsNextRenewal() {
		Lease lease = lease(this.registry, LockOptions.defaults());
		assertThat(this.other.forceRelease(KEY, null)).isCompletedWithValue(true);
		assertThat(this.events.losses()).isEmpty();
		this.time.tick(ManualEngine.TTL.dividedBy(3));
		assertThat(this.events.losses()).extracting(RecordedEvents.Loss::cause).containsExactly(LossCause.FORCED);
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void aHolderThatReceivesNoSignalsLearnsItFromItsRelease() {
		Lease lease = lease(this.registry, LockOptions.defaults());
		this.other.forceRelease(KEY, null).join();
		assertThat(lease.releaseAsync().join()).isFalse();
		assertThat(this.events.losses()).extracting(RecordedEvents.Loss::cause).containsExactly(LossCause.FORCED);
	}

	@Test
	void aHolderThatReceivesSignalsLearnsItAtOnce() {
		startListening();
		Lease lease = lease(this.registry, LockOptions.defaults());
		this.other.forceRelease(KEY, null).join();
		assertThat(lease.isValid()).isTrue();
		receiveSignals();
		assertThat(lease.isValid()).isFalse();
		assertThat(this.events.losses()).extracting(RecordedEvents.Loss::cause).containsExactly(LossCause.FORCED);
	}

	@Test
	void theLossIsToldOnceAlthoughTheNewsComesTwice() {
		startListening();
		Lease lease = lease(this.registry, LockOptions.defaults());
		this.registry.forceRelease(KEY, null).join();
		this.time.tick(ManualEngine.TTL.dividedBy(3));
		lease.close();
		assertThat(this.events.losses()).hasSize(1);
		assertThat(this.otherEvents.losses()).isEmpty();
	}

	@Test
	void newsThatComesLateLeavesNoOrphan() {
		ManualEngine engine = new ManualEngine();
		engine.store().actsAs(this.store);
		engine.startListening();
		engine.lease();
		engine.store().signals().forced(KEY, engine.registry().held().get(0).ownerId());
		assertThat(engine.events().losses()).extracting(RecordedEvents.Loss::cause).containsExactly(LossCause.FORCED);
		assertThat(this.registry.inspect(KEY).join().lock().ownerIds()).isEmpty();
	}

	@Test
	void newsOfAnotherOwnerIdOrInstanceHasNoEffect() {
		ManualEngine engine = new ManualEngine();
		engine.startListening();
		Lease lease = engine.lease();
		engine.store().signals().forced(KEY, "app:99");
		engine.store().signals().forced(KEY, "other:1");
		engine.store().signals().forced("unknown", "app:99");
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void aKeyThatIsKeptForItsMinimumHoldIsFreed() {
		startListening();
		lease(this.registry, LockOptions.defaults().withMinHold(Duration.ofMinutes(1))).close();
		assertThat(this.other.acquireAsync(KEY, ONCE)).isCompletedExceptionally();
		assertThat(this.other.forceRelease(KEY, null)).isCompletedWithValue(true);
		assertThat(lease(this.other, ONCE).isValid()).isTrue();
		assertThat(this.events.losses()).isEmpty();
	}

	@Test
	void whoWaitsHereForAKeyThatIsKeptForItsMinimumHoldGetsItAtOnce() {
		Lease lease = lease(this.registry, LockOptions.defaults().withMinHold(Duration.ofMinutes(1)));
		CompletableFuture<Lease> waiting = this.registry.acquireAsync(KEY, PATIENT);
		lease.close();
		assertThat(waiting).isNotDone();
		this.registry.forceRelease(KEY, null).join();
		assertThat(waiting).isCompleted();
	}

	@Test
	void anAnswerThatComesAfterTheNewsOfItGrantsNothing() {
		ManualEngine engine = new ManualEngine();
		ScriptedStore slow = engine.store();
		slow.acquires().hold();
		CompletableFuture<Lease> request = engine.request(KEY, PATIENT);
		String forced = slow.acquires().last().command().ownerId();
		slow.connection().forced(KEY, forced);
		slow.acquires().answer((command) -> slow.granted());
		slow.acquires().call(0).answer(slow.granted());
		assertThat(slow.releases().commands()).extracting(LockStore.Release::ownerId).containsExactly(forced);
		assertThat(slow.acquires().count()).isEqualTo(2);
		assertThat(request).isCompletedWithValueMatching((lease) -> !lease.ownerId().equals(forced));
	}

	@Test
	void ofSeveralKeysOneIsLost() {
		List<Lease> leases = this.registry.acquireAllAsync(List.of("a", "b", "c"), ONCE).join();
		this.registry.forceRelease("b", null).join();
		assertThat(leases).extracting(Lease::isValid).containsExactly(true, false, true);
	}

	@Test
	void aReentrantHoldIsLostAsAWhole() {
		LeasedLock lock = this.registry.obtain(KEY);
		lock.lock();
		lock.lock();
		this.registry.forceRelease(KEY, null).join();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		lock.unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.FORCED));
		assertThat(lease(this.other, ONCE).isValid()).isTrue();
	}

	@Test
	void aKeyThatNobodyHoldsIsNotReleased() {
		assertThat(this.registry.forceRelease(KEY, null)).isCompletedWithValue(false);
		lease(this.registry, ONCE);
		assertThat(this.registry.forceRelease(KEY, null)).isCompletedWithValue(true);
		assertThat(this.registry.forceRelease(KEY, null)).isCompletedWithValue(false);
	}

	@Test
	void whoeverHoldsTheKeyLosesItAlthoughTheHolderChangesInBetween() {
		Lease first = lease(this.registry, ONCE);
		AtomicReference<@Nullable Lease> next = new AtomicReference<>();
		LockStore changing = mock(LockStore.class, delegatesTo(this.store));
		var unused = willAnswer((question) -> {
			var stale = this.store.inspect(KEY);
			first.close();
			next.set(lease(this.registry, ONCE));
			return stale;
		}).willAnswer((question) -> this.store.inspect(KEY)).given(changing).inspect(KEY);
		DefaultLockRegistry operator = new DefaultLockRegistry("operator", changing, ManualEngine.settings(), List.of(),
				List.of(), this.time);
		assertThat(operator.forceRelease(KEY, null)).isCompletedWithValue(true);
		assertThat(next.get()).isNotNull();
		assertThat(this.store.inspect(KEY).join().lock().ownerIds()).isEmpty();
	}

	@Test
	void aHolderThatCameMeanwhileKeepsTheKey() {
		lease(this.registry, ONCE);
		String stuck = this.registry.held().get(0).ownerId();
		assertThat(this.registry.forceRelease(KEY, stuck)).isCompletedWithValue(true);
		Lease next = lease(this.registry, ONCE);
		assertThat(this.registry.forceRelease(KEY, stuck)).isCompletedWithValue(false);
		assertThat(next.isValid()).isTrue();
	}

	@Test
	void aKeyThatCannotBeUsedIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.forceRelease(" ", null));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.inspect("\u0000"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.registry.scan(null, 0))
			.withMessage("limit must be between 1 and 1000, but is 0");
	}

	private void startListening() {
		Lease first = this.registry.acquireAsync("contended", ONCE).join();
		CompletableFuture<Lease> second = this.registry.acquireAsync("contended", PATIENT);
		receiveSignals();
		assertThat(this.registry.checkStore().join().listening()).isTrue();
		first.close();
		second.join().close();
	}

	private void receiveSignals() {
		this.time.tick(Duration.ZERO);
	}

	private static Lease lease(DefaultLockRegistry registry, LockOptions options) {
		return registry.acquireAsync(KEY, options).join();
	}

}
