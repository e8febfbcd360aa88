// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.engine.RecordedEvents.Loss;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the renewal of leases by the watchdog.
 */
class LeaseRenewalTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final LockOptions BRIEF = DEFAULTS.withTtl(Duration.ofMillis(500));

	private static final int INTERVAL_MILLIS = 10_000;

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	@Test
	void aLeaseIsRenewedAtAThirdOfItsTtl() {
		this.engine.lease();
		this.engine.tickMillis(INTERVAL_MILLIS - 1);
		assertThat(this.store.renewals().count()).isZero();
		this.engine.tickMillis(1);
		Acquire acquired = this.store.acquires().last().command();
		assertThat(this.store.renewals().commands())
			.containsExactly(List.of(new Renew(KEY, acquired.ownerId(), ManualEngine.TTL)));
	}

	@Test
	void aLeaseOnItsOwnIsRenewedOnceInEachInterval() {
		Lease lease = this.engine.lease();
		for (int interval = 1; interval <= 1_000; interval++) {
			this.engine.tickMillis(INTERVAL_MILLIS);
			assertThat(this.store.renewals().count()).isEqualTo(interval);
		}
		assertThat(lease.isValid()).isTrue();
		assertThat(this.engine.events().losses()).isEmpty();
	}

	@Test
	void aShortTtlIsRenewedAtAThirdOfIt() {
		this.engine.lease(KEY, BRIEF);
		this.engine.tickMillis(166);
		assertThat(this.store.renewals().count()).isZero();
		this.engine.tickMillis(1);
		assertThat(this.store.renewals().count()).isOne();
		assertThat(this.store.renewals().last().command()).extracting(Renew::ttl).containsExactly(BRIEF.ttl());
	}

	@Test
	void leasesWithDifferentTtlsAreRenewedEachInItsTime() {
		List<Lease> leases = new ArrayList<>();
		for (int millis : new int[] { 10, 500, 3_000, 30_000, 600_000 }) {
			leases.add(this.engine.lease("ttl" + millis, DEFAULTS.withTtl(Duration.ofMillis(millis))));
		}
		for (int i = 0; i < 2_000; i++) {
			this.engine.tickMillis(100);
			assertThat(leases).allMatch(Lease::isValid);
			if (i == 100) {
				// It was renewed a thousand times.
				leases.remove(0).close();
			}
		}
		assertThat(renewals("ttl10")).hasSizeGreaterThan(1_000);
		assertThat(renewals("ttl600000")).hasSizeBetween(1, 2);
		assertThat(renewals("ttl30000")).hasSizeBetween(20, 40);
		assertThat(renewals("ttl3000")).hasSizeBetween(200, 400);
	}

	@Test
	void aLeaseThatIsNotToBeRenewedNeverIs() {
		Lease lease = this.engine.lease(KEY, DEFAULTS.withRenew(false));
		Lease other = this.engine.lease("other", DEFAULTS);
		this.engine.tickMillis(60_000);
		assertThat(lease.isValid()).isFalse();
		assertThat(other.isValid()).isTrue();
		assertThat(renewals(KEY)).isEmpty();
	}

	@Test
	void aTtlOfItsOwnDoesNotEndTheRenewal() {
		Lease lease = this.engine.lease(KEY, DEFAULTS.withTtl(Duration.ofSeconds(5)));
		this.engine.tick(Duration.ofMinutes(5));
		assertThat(lease.isValid()).isTrue();
	}

	@Test
	void theMaximumHoldEndsTheRenewalAndTheLeaseRunsOut() {
		Lease lease = this.engine.lease(KEY, DEFAULTS.withMaxHold(Duration.ofSeconds(45)));
		this.engine.tickMillis(45_000);
		assertThat(renewals(KEY)).hasSize(4);
		this.engine.tickMillis(40_000 + ManualEngine.TERM.toMillis() - 45_000 - 1);
		assertThat(lease.isValid()).isTrue();
		this.engine.tickMillis(1);
		assertThat(lease.isValid()).isFalse();
		assertThat(renewals(KEY)).hasSize(4);
		assertThat(this.engine.events().losses()).extracting(Loss::cause).containsExactly(LossCause.EXPIRED);
	}

	@Test
	void theMaximumHoldOfTheRegistryCountsUnlessTheLockHasItsOwn() {
		ManualEngine limited = new ManualEngine(ManualEngine.settings().withMaxHold(Duration.ofSeconds(45)),
				new ScriptedStore(), List.of());
		Lease lease = limited.lease("a", DEFAULTS);
		Lease own = limited.lease("b", DEFAULTS.withMaxHold(Duration.ofHours(1)));
		Lease unlimited = limited.lease("c", DEFAULTS.withMaxHold(LockOptions.UNLIMITED));
		for (int second = 0; second < 120; second++) {
			limited.tick(Duration.ofSeconds(1));
		}
		assertThat(lease.isValid()).isFalse();
		assertThat(own.isValid()).isTrue();
		assertThat(unlimited.isValid()).isTrue();
		assertThat(LockOptions.defaults().withRenew(false).withMaxHold(LockOptions.UNLIMITED).renew()).isFalse();
	}

	@Test
	void theMaximumHoldCountsAnewForEachLease() {
		this.engine.startListening();
		Lease first = this.engine.lease(KEY, DEFAULTS.withMaxHold(Duration.ofSeconds(15)));
		CompletableFuture<Lease> second = this.engine.request(KEY,
				DEFAULTS.withMaxHold(Duration.ofSeconds(15)).withWaitTime(Duration.ofMinutes(1)));
		this.engine.tickMillis(14_000);
		first.close();
		this.engine.tickMillis(14_000);
		assertThat(renewals(KEY)).hasSize(2);
		this.engine.tickMillis(60_000);
		assertThat(renewals(KEY)).hasSize(2);
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(second.join());
	}

	@Test
	void aReleasedLeaseIsNotRenewed() {
		Lease released = this.engine.lease("released", DEFAULTS);
		this.engine.lease("kept", DEFAULTS);
		this.engine.tickMillis(5_000);
		released.close();
		this.engine.tickMillis(60_000);
		assertThat(renewals("released")).isEmpty();
		assertThat(renewals("kept")).hasSize(6);
	}

	@Test
	void nothingIsRenewedOnceAllIsReleased() {
		this.engine.lease().close();
		this.engine.tick(Duration.ofHours(1));
		assertThat(this.store.renewals().count()).isZero();
		assertThat(this.engine.time().scheduled()).isZero();
	}

	@Test
	void aLostLeaseIsNotRenewed() {
		this.engine.lease("lost", DEFAULTS);
		this.engine.time().pause(ManualEngine.TERM);
		this.engine.tickMillis(60_000);
		assertThat(this.engine.events().losses()).hasSize(1);
		int renewals = this.store.renewals().count();
		this.engine.tickMillis(60_000);
		assertThat(this.store.renewals().count()).isEqualTo(renewals);
	}

	@Test
	void aKeyThatIsNotOursAnyMoreIsLostAtOnce() {
		List<LossCause> told = new ArrayList<>();
		Lease lease = this.engine.lease();
		Lease other = this.engine.lease("other", DEFAULTS);
		lease.onLost(told::add);
		this.store.renewals()
			.answer((commands) -> commands.stream().map((command) -> !command.key().equals(KEY)).toList());
		this.engine.tickMillis(INTERVAL_MILLIS);
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.TAKEN, false));
		assertThat(told).containsExactly(LossCause.TAKEN);
		assertThat(lease.remaining()).isZero();
		assertThat(other.isValid()).isTrue();
	}

	@Test
	void aKeyThatWasTakenIsAskedForAgainByThoseWhoWait() {
		Lease taken = this.engine.lease();
		CompletableFuture<Lease> waiting = this.engine.request(KEY, DEFAULTS.withWaitTime(Duration.ofMinutes(1)));
		this.store.renewals().answer((commands) -> List.of(false));
		this.engine.tickMillis(INTERVAL_MILLIS);
		assertThat(taken.isValid()).isFalse();
		assertThat(waiting.join().isValid()).isTrue();
		assertThat(this.store.acquires().call(0).command().ownerId())
			.isNotEqualTo(this.store.acquires().last().command().ownerId());
		taken.close();
		assertThat(waiting.join().isValid()).isTrue();
		assertThat(this.store.releases().count()).isZero();
	}

	@Test
	void theAnswerToARenewalOfALeaseThatWasReleasedMeanwhileMeansNothing() {
		this.store.renewals().hold();
		Lease lease = this.engine.lease();
		this.engine.tickMillis(INTERVAL_MILLIS);
		lease.close();
		Lease next = this.engine.lease();
		this.store.renewals().last().answer(List.of(false));
		assertThat(this.engine.events().losses()).isEmpty();
		assertThat(next.isValid()).isTrue();
	}

	static Stream<Consumer<ScriptedStore>> failures() {
		LockStoreException refusal = new LockStoreException("no more memory", false, null);
		return Stream.of((store) -> store.renewals().fail(refusal),
				(store) -> store.renewals().fail(new IllegalStateException("reset")),
				(store) -> store.renewals().throwAtOnce(refusal),
				(store) -> store.renewals().throwAtOnce(new IllegalStateException("closed")),
				(store) -> store.renewals().answer((commands) -> null), (store) -> store.renewals().hold());
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aRenewalThatFailsIsRepeatedBeforeTheDeadline(Consumer<ScriptedStore> failure) {
		Lease lease = this.engine.lease();
		failure.accept(this.store);
		this.engine.tickMillis(29_000);
		assertThat(lease.isValid()).isTrue();
		assertThat(this.store.renewals().count()).isBetween(4, 8);
		this.store.renewals().answer((commands) -> commands.stream().map((command) -> true).toList());
		this.engine.tickMillis(690);
		assertThat(lease.isValid()).isTrue();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void theScheduleGoesOnAfterARenewalThatFailed(Consumer<ScriptedStore> failure) {
		Lease lease = this.engine.lease();
		failure.accept(this.store);
		this.engine.tickMillis(20_000);
		this.store.renewals().answer((commands) -> commands.stream().map((command) -> true).toList());
		this.engine.tick(Duration.ofMinutes(10));
		assertThat(lease.isValid()).isTrue();
		assertThat(this.engine.events().losses()).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("failures")
	void aRenewalThatFailsToTheEndIsALossAtTheDeadlineAndIsNotRepeatedThereafter(Consumer<ScriptedStore> failure) {
		failure.accept(this.store);
		Lease lease = this.engine.lease();
		this.engine.tick(ManualEngine.TERM.minusNanos(1));
		assertThat(lease.isValid()).isTrue();
		this.engine.tick(Duration.ofNanos(1));
		assertThat(this.engine.events().losses()).containsExactly(new Loss(lease, LossCause.EXPIRED, false));
		int renewals = this.store.renewals().count();
		this.engine.tick(Duration.ofMinutes(10));
		assertThat(this.store.renewals().count()).isEqualTo(renewals);
	}

	@Test
	void oneCommandThatFailsDoesNotKeepTheOthersFromBeingSent() {
		List<Lease> leases = lease(1_200, 0);
		this.store.renewals().throwAtOnce(new IllegalStateException("closed"));
		this.engine.tickMillis(INTERVAL_MILLIS);
		assertThat(this.store.renewals().commands()).extracting(List::size).containsExactly(500, 500, 200);
		assertThat(leases).allMatch(Lease::isValid);
	}

	/**
	 * Of servers that have keys, one may be down.
	 */
	@Test
	void leasesOfDifferentPartitionsShareNoCommand() {
		this.store.parts(2);
		this.store.partitions((key) -> key.charAt(0) - 'a');
		this.engine.lease("a1", DEFAULTS);
		this.engine.lease("b1", DEFAULTS);
		this.engine.lease("a2", DEFAULTS);
		this.engine.tickMillis(INTERVAL_MILLIS);
		assertThat(this.store.renewals().commands())
			.extracting((renewals) -> renewals.stream().map(Renew::key).toList())
			.containsExactlyInAnyOrder(List.of("a1", "a2"), List.of("b1"));
	}

	@Test
	void manyLeasesShareFewCommands() {
		List<Lease> leases = lease(1_200, 0);
		for (int interval = 1; interval <= 10; interval++) {
			this.engine.tickMillis(INTERVAL_MILLIS);
			assertThat(this.store.renewals().count()).isEqualTo(3 * interval);
		}
		assertThat(this.store.renewals().commands()).allMatch((commands) -> commands.size() <= LockStore.MAX_BATCH);
		assertThat(leases).allMatch(Lease::isValid);
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 2_000, INTERVAL_MILLIS, 30_000 })
	void leasesThatWereAcquiredAtScatteredTimesGatherInFewCommands(int withinMillis) {
		List<Lease> leases = lease(1_200, withinMillis);
		this.engine.tickMillis(3 * INTERVAL_MILLIS);
		int before = this.store.renewals().count();
		this.engine.tickMillis(10 * INTERVAL_MILLIS);
		int commands = this.store.renewals().count() - before;
		assertThat(commands).isLessThanOrEqualTo(10 * 3);
		assertThat(this.store.renewals().commands()).allMatch((renewals) -> renewals.size() <= LockStore.MAX_BATCH);
		assertThat(leases).allMatch(Lease::isValid);
	}

	@Test
	void renewalsThatAreNotAnsweredDoNotPileUp() {
		this.store.renewals().hold();
		lease(1_200, INTERVAL_MILLIS);
		this.engine.tickMillis(INTERVAL_MILLIS);
		assertThat(this.store.renewals().commands().stream().mapToInt(List::size).sum()).isLessThan(5 * 1_200);
		assertThat(this.store.renewals().count()).isLessThan(5 * 3);
	}

	@Test
	void aBriefLeaseDoesNotMakeALaterOneOfTheSameKeyBrief() {
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsAs(truth);
		this.engine.lease(KEY, BRIEF).close();
		Lease lease = this.engine.lease(KEY, DEFAULTS);
		for (int i = 0; i < 600; i++) {
			this.engine.tickMillis(100);
			assertThat(lease.isValid()).isTrue();
			assertThat(truth.acquire(other(KEY)).join()).isInstanceOf(Busy.class);
		}
	}

	@Test
	void aBriefLeaseThatIsHandedOnDoesNotMakeTheNextOneBrief() {
		this.engine.startListening();
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsAs(truth);
		Lease brief = this.engine.lease(KEY, BRIEF);
		CompletableFuture<Lease> waiting = this.engine.request(KEY, DEFAULTS);
		this.engine.tickMillis(400);
		brief.close();
		Lease lease = waiting.join();
		for (int i = 0; i < 600; i++) {
			this.engine.tickMillis(100);
			assertThat(lease.isValid()).isTrue();
			assertThat(truth.acquire(other(KEY)).join()).isInstanceOf(Busy.class);
		}
	}

	@Test
	void aRenewalOnItsWayDoesNotShortenTheTtlOfTheNextLease() {
		this.engine.startListening();
		MemoryLockStore truth = this.engine.memoryStore();
		this.store.actsAs(truth);
		List<Lease> brief = new ArrayList<>();
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (int i = 0; i <= LockStore.MAX_BATCH; i++) {
			brief.add(this.engine.lease("key" + i, BRIEF));
			waiting.add(this.engine.request("key" + i, DEFAULTS));
		}
		// What happens between the choice of what to renew and the last command of it.
		this.store.renewals().forward((commands) -> {
			if (this.store.renewals().count() == 1) {
				brief.forEach((lease) -> lease.releaseAsync().join());
			}
			return truth.renew(commands);
		});
		this.engine.tickMillis(5_000);
		for (int i = 0; i <= LockStore.MAX_BATCH; i++) {
			assertThat(waiting.get(i)).isCompletedWithValueMatching(Lease::isValid);
			assertThat(truth.acquire(other("key" + i)).join()).isInstanceOf(Busy.class);
		}
	}

	@Test
	void aRenewalThatIsExecutedTwiceIsARenewal() {
		this.store.actsTwiceAs(this.engine.memoryStore());
		Lease lease = this.engine.lease();
		this.engine.tick(Duration.ofMinutes(5));
		assertThat(lease.isValid()).isTrue();
	}

	private List<Lease> lease(int count, int withinMillis) {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			leases.add(this.engine.lease("key" + i, DEFAULTS));
			this.engine.tick(Duration.ofMillis(withinMillis).dividedBy(count));
		}
		return leases;
	}

	private List<Renew> renewals(String key) {
		return this.store.renewals()
			.commands()
			.stream()
			.flatMap(List::stream)
			.filter((command) -> command.key().equals(key))
			.toList();
	}

	private static Acquire other(String key) {
		return new Acquire(key, "other", "other:1", ManualEngine.TTL, false, 1);
	}

}
