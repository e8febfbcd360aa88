// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.engine.RecordedEvents.Loss;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock stays at least as long as it is asked to, whoever released it.
 */
class MinHoldTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(5));

	private static final LockOptions MINUTE = LockOptions.defaults().withMinHold(Duration.ofMinutes(1));

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	@Test
	void anEarlyReleaseLeavesTheLockForTheRest() {
		Lease lease = this.engine.lease(KEY, MINUTE);
		this.engine.tickMillis(1_000);
		lease.close();
		assertThat(lease.isValid()).isFalse();
		assertThat(this.store.releases().count()).isZero();
		assertThat(this.store.renewals().last().command())
			.containsExactly(new Renew(KEY, "app:1", Duration.ofSeconds(59)));
	}

	@Test
	void whatWasLeftBehindIsNotRenewed() {
		this.engine.lease(KEY, MINUTE).close();
		this.engine.tick(Duration.ofMinutes(5));
		assertThat(this.store.renewals().count()).isOne();
		assertThat(this.engine.events().losses()).isEmpty();
		assertThat(this.store.releases().count()).isZero();
	}

	@Test
	void aRestIsRoundedUpToTheClockOfTheStore() {
		Lease lease = this.engine.lease(KEY, LockOptions.defaults().withMinHold(Duration.ofNanos(1_000_001)));
		lease.close();
		assertThat(this.store.renewals().last().command()).extracting(Renew::ttl).containsExactly(Duration.ofMillis(2));
	}

	@Test
	void aLateReleaseIsAnOrdinaryOne() {
		Lease lease = this.engine.lease(KEY, MINUTE);
		this.engine.tick(Duration.ofMinutes(1));
		int renewals = this.store.renewals().count();
		lease.close();
		assertThat(this.store.releases().count()).isOne();
		assertThat(this.store.renewals().count()).isEqualTo(renewals);
	}

	@Test
	void nobodyGetsTheKeyBeforeItsTime() {
		this.store.actsAs(this.engine.memoryStore());
		Lease lease = this.engine.lease(KEY, MINUTE);
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(1_000);
		lease.close();
		assertThat(this.engine.request(KEY, ONCE)).isCompletedExceptionally();
		this.engine.tickMillis(58_999);
		assertThat(waiting).isNotDone();
		this.engine.tickMillis(10);
		assertThat(waiting.join().isValid()).isTrue();
		assertThat(waiting.join().fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@Test
	void theSliceIsOverWhenTheLockWasLeftBehind() {
		this.engine.startListening();
		int before = this.store.releases().count();
		Lease lease = this.engine.lease(KEY, MINUTE);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> third = this.engine.request(KEY, PATIENT);
		this.store.signals().contended(KEY);
		this.engine.tickMillis(1_000);
		lease.close();
		this.engine.tick(Duration.ofMinutes(1));
		second.join().close();
		assertThat(third).as("nobody else waits any more").isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.store.releases().count()).isEqualTo(before);
	}

	@Test
	void aLockThatOutlivesItsLeaseKeepsNoQueue() {
		this.store.actsAs(this.engine.memoryStore());
		this.engine.lease(KEY, MINUTE).close();
		assertThat(this.engine.request(KEY, ONCE)).isCompletedExceptionally();
		this.engine.tick(Duration.ofMinutes(1).plusMillis(1));
		assertThat(this.engine.lease(KEY, ONCE).isValid()).isTrue();
	}

	@Test
	void aLockThatWasTakenAwayIsToldAsALoss() {
		this.store.renewals().answer((commands) -> List.of(false));
		Lease lease = this.engine.lease(KEY, MINUTE);
		assertThat(lease.releaseAsync().join()).isFalse();
		assertThat(this.engine.events().losses()).extracting(Loss::cause).containsExactly(LossCause.TAKEN);
	}

	@Test
	void aStoreThatDoesNotAnswerIsTold() {
		this.store.renewals().fail(new LockStoreException("down", true, null));
		Lease lease = this.engine.lease(KEY, MINUTE);
		assertThat(lease.releaseAsync()).isCompletedExceptionally();
		assertThat(this.engine.events().unconfirmed()).containsExactly(lease);
	}

	@Test
	void aRestThatWasNotConfirmedIsSetAgain() {
		this.store.renewals().fail(new LockStoreException("down", true, null));
		Lease lease = this.engine.lease(KEY, MINUTE);
		lease.close();
		this.engine.tickMillis(2_000);
		this.store.renewals().answer((commands) -> List.of(true));
		this.engine.tickMillis(1_000);
		assertThat(this.store.renewals().last().command()).extracting(Renew::ttl)
			.containsExactly(Duration.ofSeconds(57));
		int count = this.store.renewals().count();
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(this.store.renewals().count()).isEqualTo(count);
	}

	@Test
	void aLockThatWasTakenAwayIsToldThoughItsRestWasNotConfirmedAtFirst() {
		this.store.renewals().fail(new LockStoreException("down", true, null));
		Lease lease = this.engine.lease(KEY, MINUTE);
		lease.close();
		this.store.renewals().answer((commands) -> List.of(false));
		this.engine.tickMillis(1_000);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(lease);
	}

	@Test
	void aRestThatCouldNotBeSetInTimeIsReleased() {
		this.store.renewals().fail(new LockStoreException("down", true, null));
		this.engine.lease(KEY, MINUTE).close();
		this.engine.tick(Duration.ofMinutes(2));
		assertThat(this.store.releases().count()).isPositive();
	}

	@Test
	void aRenewalThatWasOnItsWayDoesNotChangeTheRest() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease(KEY, MINUTE);
		this.engine.tick(Duration.ofSeconds(11));
		CompletableFuture<Boolean> released = lease.releaseAsync();
		assertThat(this.store.renewals().commands()).extracting((commands) -> commands.get(0).ttl())
			.containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(49));
		this.store.renewals().call(1).answer(List.of(true));
		this.store.renewals().call(0).answer(List.of(true));
		assertThat(released.join()).isTrue();
		assertThat(this.store.renewals().commands()).extracting((commands) -> commands.get(0).ttl())
			.containsExactly(Duration.ofSeconds(30), Duration.ofSeconds(49), Duration.ofSeconds(49));
	}

	@Test
	void aLossIsToldOnceAlthoughALateRenewalFindsItOutAgain() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease(KEY, MINUTE);
		this.engine.tick(Duration.ofSeconds(11));
		CompletableFuture<Boolean> released = lease.releaseAsync();
		this.store.renewals().call(1).answer(List.of(false));
		this.store.renewals().answer((commands) -> List.of(false));
		this.store.renewals().call(0).answer(List.of(true));
		assertThat(released).isCompletedWithValue(false);
		assertThat(this.store.renewals().count()).as("the rest was set again").isEqualTo(3);
		assertThat(this.engine.events().losses()).extracting(Loss::cause).containsExactly(LossCause.TAKEN);
	}

	/**
	 * Far ahead of the next poll: nobody signals the end.
	 */
	@Test
	void whoReceivesSignalsGetsTheKeySoonAfterItsTime() {
		this.engine.startListening();
		this.store.actsAs(this.engine.memoryStore());
		Lease lease = this.engine.lease(KEY, LockOptions.defaults().withMinHold(Duration.ofSeconds(1)));
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		lease.close();
		this.engine.tickMillis(999);
		assertThat(waiting).isNotDone();
		this.engine.tickMillis(5);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoReceivesSignalsGetsTheKeySoonAfterATimeThatWasSetAgain() {
		this.engine.startListening();
		MemoryLockStore memory = this.engine.memoryStore();
		this.store.actsAs(memory);
		Lease lease = this.engine.lease(KEY, LockOptions.defaults().withMinHold(Duration.ofSeconds(3)));
		CompletableFuture<Lease> waiting = this.engine.request(KEY, PATIENT);
		this.store.renewals().fail(new LockStoreException("down", true, null));
		lease.close();
		this.store.actsAs(memory);
		this.engine.tickMillis(2_999);
		assertThat(waiting).isNotDone();
		this.engine.tickMillis(5);
		assertThat(waiting).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void aKeyThatWasTakenInVainIsGivenBack() {
		this.store.acquires()
			.answer((command) -> command.key().equals("b") ? ScriptedStore.busy("other:7", Duration.ofSeconds(20))
					: this.store.granted(command.tokens(), false));
		this.store.jointAcquires()
			.answer((commands) -> new AcquireAllReply(List.of(), "b",
					ScriptedStore.busy("other:7", Duration.ofSeconds(20))));
		CompletableFuture<List<Lease>> request = this.engine.registry()
			.acquireAllAsync(List.of("a", "b"), MINUTE.withWaitTime(Duration.ofSeconds(3)));
		assertThat(this.store.releases().count()).isZero();
		this.engine.tick(Duration.ofSeconds(4));
		assertThat(request).isCompletedExceptionally();
		assertThat(this.store.releases().count()).isEqualTo(1);
		assertThat(this.store.renewals().count()).isZero();
	}

	@Test
	void aLeaseThatNobodyTookIsGivenBack() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, MINUTE);
		request.cancel(false);
		this.store.acquires().last().answer(this.store.granted());
		assertThat(this.store.releases().count()).isOne();
		assertThat(this.store.renewals().count()).isZero();
	}

}
