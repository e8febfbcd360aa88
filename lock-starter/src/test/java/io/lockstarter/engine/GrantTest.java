// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.engine.RecordedEvents.Loss;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for keys that a release elsewhere grants to this instance.
 */
class GrantTest {

	private static final String KEY = ManualEngine.KEY;

	private static final String INSTANCE = ManualEngine.INSTANCE;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofHours(1));

	private static final Duration TERM = Duration.ofSeconds(2);

	/**
	 * What the store says of the next token when the key is busy.
	 */
	private static final long NEXT = 1_000_000;

	private static final String OWNER = INSTANCE + ":g" + NEXT;

	private final ScriptedStore store = new ScriptedStore().granting(TERM);

	private final ManualEngine engine = new ManualEngine(ManualEngine.settings(), this.store);

	private int acquiresBefore;

	@BeforeEach
	void listen() {
		this.engine.startListening();
		this.acquiresBefore = this.store.acquires().count();
		this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofSeconds(20), Duration.ZERO, NEXT));
	}

	@Test
	void isUsedWithoutARoundTripAndRenewedAMillisecondLater() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		assertThat(acquires()).singleElement().extracting(Acquire::queueing).isEqualTo(Queueing.GRANTED);
		grant(NEXT);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
		assertThat(request.join().fencingToken()).isEqualTo(NEXT);
		assertThat(acquires()).hasSize(1);
		assertThat(this.store.renewals().count()).as("while its holder begins to run").isZero();
		this.engine.tickMillis(1);
		assertThat(this.store.renewals().last().command()).containsExactly(new Renew(KEY, OWNER, ManualEngine.TTL));
		assertThat(request.join().releaseAsync()).isCompletedWithValue(true);
		assertThat(this.store.releases().last().command()).isEqualTo(new Release(KEY, INSTANCE, OWNER, false));
	}

	@Test
	void lastsItsTtlFromTheRenewalOn() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(100);
		grant(NEXT);
		this.engine.tickMillis(1);
		assertThat(request.join().remaining()).isEqualTo(ManualEngine.TERM);
	}

	@Test
	void isNotRenewedIfItIsReleasedBefore() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		request.join().close();
		this.engine.tickMillis(10);
		assertThat(this.store.renewals().count()).isZero();
	}

	@Test
	void isNotRenewedIfItsHolderDidThatBefore() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		request.join().extend(ManualEngine.TTL);
		this.engine.tickMillis(10);
		assertThat(this.store.renewals().count()).isEqualTo(1);
	}

	@Test
	void isRenewedTogetherWithOthers() {
		var unused = this.engine.request(KEY, PATIENT);
		unused = this.engine.request("other", PATIENT);
		grant(NEXT);
		this.store.signals().granted("other", INSTANCE + ":g" + (NEXT + 8), new Acquired(NEXT + 8, NEXT + 15, false));
		this.engine.tickMillis(10);
		assertThat(this.store.renewals().commands()).singleElement()
			.satisfies((together) -> assertThat(together).extracting(Renew::key).containsExactly(KEY, "other"));
	}

	@Test
	void countsFromTheLastQuestionUntilItIsRenewed() {
		this.store.renewals().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(200);
		grant(NEXT);
		Lease lease = request.join();
		assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(2_000 - 20 - 2 - 200));
		this.engine.tickMillis(1_777);
		assertThat(lease.isValid()).isTrue();
		this.engine.tickMillis(1);
		assertThat(lease.isValid()).isFalse();
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.EXPIRED, false));
	}

	@Test
	void anUnansweredRenewalIsRepeatedWithinTheTerm() {
		this.store.renewals().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		int before = this.store.renewals().count();
		grant(NEXT);
		this.engine.tickMillis(400);
		assertThat(this.store.renewals().count() - before).isEqualTo(2);
		this.engine.tickMillis(1_300);
		assertThat(this.store.renewals().count() - before).isEqualTo(6);
		this.store.renewals().last().answer(List.of(true));
		assertThat(request.join().remaining()).isGreaterThan(Duration.ofSeconds(25));
	}

	@Test
	void thatMayBeOlderIsAskedForByItsOwnerId() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(251);
		this.store.acquires().answer((command) -> new Acquired(NEXT + 8, NEXT + 15, false));
		grant(NEXT);
		assertThat(acquires()).hasSize(2);
		assertThat(acquires().get(1).ownerId()).isEqualTo(OWNER);
		assertThat(request.join().fencingToken()).isEqualTo(NEXT + 8);
	}

	@Test
	void fromBeforeTheLastAnswerIsReleasedAndNotUsed() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT - 1);
		assertThat(request).isNotDone();
		assertThat(acquires()).hasSize(2).extracting(Acquire::ownerId).doesNotContain(INSTANCE + ":g" + (NEXT - 1));
		assertThat(this.store.releases().last().command())
			.isEqualTo(ManualEngine.orphan(KEY, INSTANCE, INSTANCE + ":g" + (NEXT - 1)));
	}

	@Test
	void thatIsToldTwiceIsUsedOnce() {
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT.withTtl(Duration.ofSeconds(20)));
		grant(NEXT);
		this.store.acquires().answer((command) -> new Busy("other:1", Duration.ofSeconds(20), Duration.ZERO, NEXT + 8));
		int releases = this.store.releases().count();
		grant(NEXT);
		assertThat(first.join().isValid()).isTrue();
		assertThat(this.store.releases().count()).as("in use").isEqualTo(releases);
		first.join().close();
		grant(NEXT);
		assertThat(second).as("released before").isNotDone();
		assertThat(acquires()).extracting(Acquire::ownerId).doesNotContain(OWNER);
	}

	@Test
	void thatWasToldBeforeIsNotUsedByWhoeverKnowsNothing() {
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		first.join().close();
		this.store.acquires().hold();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		this.store.acquires().last().answer(new Busy("other:1", Duration.ofSeconds(20), Duration.ZERO, NEXT + 8));
		assertThat(second).isNotDone();
		assertThat(acquires()).extracting(Acquire::ownerId).doesNotContain(OWNER);
	}

	@Test
	void ofASmallerTokenThanOneBeforeIsUsedIfTheStoreSaysThatItIsNew() {
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		grant(NEXT + 1_000_000);
		first.join().close();
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		assertThat(second).isCompletedWithValueMatching((lease) -> lease.fencingToken() == NEXT);
	}

	@Test
	void duringACommandAfterAnotherIsAskedForAndTheOtherIsReleased() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		grant(NEXT + 8);
		assertThat(this.store.releases().last().command()).isEqualTo(ManualEngine.orphan(KEY, INSTANCE, OWNER));
		this.store.acquires().last().answer(new Busy("other:1", Duration.ofSeconds(2), Duration.ZERO, NEXT + 16));
		assertThat(acquires().get(1).ownerId()).isEqualTo(INSTANCE + ":g" + (NEXT + 8));
		assertThat(request).isNotDone();
	}

	@Test
	void inVainIsReleased() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		request.cancel(true);
		grant(NEXT);
		assertThat(this.store.releases().last().command()).isEqualTo(ManualEngine.orphan(KEY, INSTANCE, OWNER));
	}

	@Test
	void inVainIsReleasedAgainIfThatFails() {
		this.store.releases().fail(new IllegalStateException("no connection"));
		int before = this.store.releases().count();
		grant(NEXT);
		this.store.releases().answer((command) -> true);
		this.engine.tickMillis(100);
		assertThat(this.store.releases().commands().subList(before, before + 2))
			.containsOnly(ManualEngine.orphan(KEY, INSTANCE, OWNER));
	}

	@Test
	void duringACommandIsAskedForAfterItsAnswer() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		assertThat(request).isNotDone();
		this.store.acquires().last().answer(new Busy(OWNER, Duration.ofSeconds(2), Duration.ZERO, NEXT + 8));
		assertThat(acquires()).hasSize(2);
		assertThat(acquires().get(1).ownerId()).isEqualTo(OWNER);
		this.store.acquires().last().answer(new Acquired(NEXT + 8, NEXT + 15, false));
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void duringACommandThatAcquiresTheKeyIsReleased() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		this.store.acquires().last().answer(new Acquired(NEXT + 8, NEXT + 15, false));
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.store.releases().last().command()).isEqualTo(ManualEngine.orphan(KEY, INSTANCE, OWNER));
	}

	@Test
	void duringACommandForNobodyIsReleased() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		request.cancel(true);
		this.store.acquires().last().answer(new Busy(OWNER, Duration.ofSeconds(2), Duration.ZERO, NEXT + 8));
		assertThat(acquires()).hasSize(1);
		assertThat(this.store.journal().subList(this.store.journal().size() - 2, this.store.journal().size()))
			.containsExactly(new ScriptedStore.Leave(KEY, INSTANCE), ManualEngine.orphan(KEY, INSTANCE, OWNER));
	}

	@Test
	void thatWasReleasedByForceIsNotUsed() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.signals().forced(KEY, OWNER);
		grant(NEXT);
		assertThat(request).isNotDone();
		assertThat(acquires()).extracting(Acquire::ownerId).doesNotContain(OWNER);
	}

	@Test
	void beginsASliceIfOthersWait() {
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		this.store.signals().granted(KEY, OWNER, new Acquired(NEXT, NEXT + 7, true));
		this.engine.tickMillis(5);
		first.join().close();
		assertThat(second).isNotDone();
		Release requeued = this.store.releases().last().command();
		assertThat(requeued.queueing()).isEqualTo(Queueing.GRANTED);
		assertThat(requeued.tokens()).isPositive();
	}

	@Test
	void afterAReleaseForOthersIsUsedWithoutARoundTrip() {
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		this.store.signals().granted(KEY, OWNER, new Acquired(NEXT, NEXT + 7, true));
		this.engine.tickMillis(5);
		first.join().close();
		this.engine.tickMillis(5);
		grant(NEXT + 16);
		assertThat(second.join().fencingToken()).isEqualTo(NEXT + 16);
		assertThat(acquires()).hasSize(1);
	}

	@Test
	void ofATokenBeforeTheReleaseForOthersIsNotUsed() {
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		this.store.signals().granted(KEY, OWNER, new Acquired(NEXT, NEXT + 7, true));
		this.engine.tickMillis(5);
		first.join().close();
		grant(NEXT + 7);
		assertThat(second).isNotDone();
		assertThat(acquires()).extracting(Acquire::ownerId).doesNotContain(INSTANCE + ":g" + (NEXT + 7));
	}

	@Test
	void isPassedOnHereWithTheNextTokenBeforeItIsRenewed() {
		this.store.renewals().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		first.join().close();
		assertThat(second.join().fencingToken()).isEqualTo(NEXT + 1);
		assertThat(acquires()).hasSize(1);
	}

	@Test
	void isProlongedForTheNextHolderHereIfItIsNotRenewedForLong() {
		this.store.renewals().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		this.store.acquires().answer((command) -> new Acquired(NEXT + 8, NEXT + 15, false));
		this.engine.tickMillis(1_000);
		first.join().close();
		assertThat(acquires().get(1).ownerId()).isEqualTo(OWNER);
		assertThat(second.join().remaining()).isEqualTo(ManualEngine.TERM);
	}

	@Test
	void isNotAskedForWhereALeaseNeedsAllOfItsTtl() {
		var unused = this.engine.request(KEY, PATIENT.withRenew(false));
		assertThat(acquires().get(0).queueing()).isEqualTo(Queueing.RESERVED);
	}

	@ParameterizedTest
	@ValueSource(longs = { 2_000, 2_001 })
	void isAskedForIfTheTtlIsLonger(long ttl) {
		var unused = this.engine.request(KEY, PATIENT.withTtl(Duration.ofMillis(ttl)));
		assertThat(acquires().get(0).queueing()).isEqualTo((ttl > 2_000) ? Queueing.GRANTED : Queueing.RESERVED);
	}

	@Test
	void isNotAskedForToShareAKey() {
		var unused = this.engine.request(KEY, PATIENT.withMode(LockMode.SHARED));
		assertThat(acquires().get(0).queueing()).isEqualTo(Queueing.RESERVED);
	}

	@Test
	void isNotUsedByWhoeverIsNotRenewedThoughAnotherOneAskedForIt() {
		CompletableFuture<Lease> gone = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> unrenewed = this.engine.request(KEY, PATIENT.withRenew(false));
		gone.cancel(true);
		this.store.acquires().answer((command) -> new Acquired(NEXT + 8, NEXT + 15, false));
		grant(NEXT);
		assertThat(acquires().get(1).ownerId()).isEqualTo(OWNER);
		assertThat(unrenewed.join().remaining()).isEqualTo(ManualEngine.TERM);
	}

	@Test
	void thatWasNotToldIsFoundByThePoll() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.acquires()
			.answer((command) -> command.ownerId().equals(OWNER) ? new Acquired(NEXT + 8, NEXT + 15, false)
					: new Busy(OWNER, Duration.ofSeconds(1), Duration.ZERO, NEXT + 8));
		this.engine.tickMillis(5_000);
		assertThat(request).isCompletedWithValueMatching((lease) -> lease.fencingToken() == NEXT + 8);
		grant(NEXT);
		assertThat(request.join().isValid()).as("told late").isTrue();
		request.join().close();
		this.store.acquires().hold();
		CompletableFuture<Lease> next = this.engine.request(KEY, PATIENT);
		grant(NEXT);
		this.store.acquires().last().answer(new Busy("other:1", Duration.ofSeconds(20), Duration.ZERO, NEXT + 16));
		assertThat(next).as("told late, and released before").isNotDone();
		assertThat(acquires().subList(3, acquires().size())).extracting(Acquire::ownerId).doesNotContain(OWNER);
	}

	@Test
	void thatWasNotToldIsAskedForOnce() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.acquires().answer((command) -> new Busy(OWNER, Duration.ofSeconds(1), Duration.ZERO, NEXT + 8));
		this.engine.tickMillis(20_000);
		assertThat(request).isNotDone();
		assertThat(acquires()).extracting(Acquire::ownerId).containsOnlyOnce(OWNER);
	}

	@Test
	void fromBeforeItWaitedIsNotTakenForItsOwn() {
		this.store.acquires().answer((command) -> new Busy(OWNER, Duration.ofSeconds(1), Duration.ZERO, NEXT + 8));
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(5_000);
		assertThat(request).isNotDone();
		assertThat(acquires()).hasSizeGreaterThan(1).extracting(Acquire::ownerId).doesNotContain(OWNER);
	}

	@Test
	void thatMayBeThatOfACopyIsNotTakenForItsOwn() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.acquires().answer((command) -> new Busy(OWNER, Duration.ofSeconds(1), Duration.ZERO, NEXT + 8));
		this.store.signals().listening(false);
		this.engine.tickMillis(1);
		this.store.signals().listening(true);
		this.engine.tickMillis(5_000);
		assertThat(request).isNotDone();
		assertThat(acquires()).hasSizeGreaterThan(1).extracting(Acquire::ownerId).doesNotContain(OWNER);
	}

	@Test
	void isNotThatOfAnInstanceWhoseIdBeginsAlike() {
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT);
		this.store.acquires()
			.answer((command) -> new Busy(INSTANCE + ":green:7", Duration.ofSeconds(1), Duration.ZERO, NEXT + 8));
		this.engine.tickMillis(5_000);
		assertThat(request).isNotDone();
		assertThat(acquires()).hasSizeBetween(2, 20);
		this.store.acquires().answer((command) -> new Acquired(NEXT + 16, NEXT + 23, false));
		this.engine.tickMillis(5_000);
		assertThat(request).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void isRenewedByNoLateRenewal() {
		List<Boolean> late = new ArrayList<>();
		ScriptedStore other = new ScriptedStore().granting(TERM);
		ManualEngine watched = new ManualEngine(ManualEngine.settings(), other, List.of(new LockMonitor() {

			@Override
			public void renewed(Lease lease, long margin, long ttl, boolean isLate) {
				late.add(isLate);
			}

		}));
		watched.startListening();
		other.acquires().answer((command) -> new Busy("other:1", Duration.ofSeconds(20), Duration.ZERO, NEXT));
		CompletableFuture<Lease> request = watched.request(KEY, PATIENT);
		other.signals().granted(KEY, OWNER, new Acquired(NEXT, NEXT + 7, false));
		assertThat(request).isCompleted();
		watched.tickMillis(1);
		assertThat(late).containsExactly(false);
	}

	private void grant(long token) {
		this.store.signals().granted(KEY, INSTANCE + ":g" + token, new Acquired(token, token + 7, false));
	}

	private List<Acquire> acquires() {
		return this.store.acquires().commands().subList(this.acquiresBefore, this.store.acquires().count());
	}

}
