// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.store.LockStore.Release;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Keys that several hold, in one instance and in two, over one store and by the clock of
 * the test.
 */
class SharedLockTest {

	private static final String KEY = ManualEngine.KEY;

	private static final LockOptions ALONE = LockOptions.defaults().withWaitTime(Duration.ofHours(1));

	private static final LockOptions SHARED = ALONE.withMode(LockMode.SHARED);

	private static final LockOptions TRIES = SHARED.withWaitTime(Duration.ZERO);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	private final MemoryLockStore truth = MemoryStores.on(this.engine.time().tasksInTicks());

	private final Other other = new Other();

	@BeforeEach
	void actAsAStore() {
		this.engine.startListening();
		this.store.actsAs(this.truth);
		this.truth.listen(ManualEngine.INSTANCE, this.store.signals());
		this.other.listen();
	}

	@Test
	void leasesAreSharedInAnInstanceByOneCommand() {
		int before = acquires();
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			leases.add(this.engine.lease(KEY, SHARED));
		}
		assertThat(leases).allMatch(Lease::isValid)
			.extracting(Lease::fencingToken)
			.containsOnly(leases.get(0).fencingToken());
		assertThat(acquires() - before).isEqualTo(1);
		assertThat(this.engine.registry().held()).hasSize(10);
		leases.subList(0, 9).forEach(Lease::close);
		assertThat(holders()).hasSize(1);
		leases.get(9).close();
		assertThat(holders()).isEmpty();
		assertThat(this.engine.registry().leaseCount()).isZero();
	}

	@Test
	void leasesAreSharedAmongInstances() {
		Lease here = this.engine.lease(KEY, SHARED);
		Lease there = this.other.lease(SHARED);
		assertThat(there.fencingToken()).isGreaterThan(here.fencingToken());
		CompletableFuture<Lease> alone = this.other.request(ALONE);
		here.close();
		assertThat(alone).isNotDone();
		there.close();
		this.engine.tickMillis(0);
		assertThat(alone).isCompletedWithValueMatching((lease) -> lease.fencingToken() > there.fencingToken());
	}

	@Test
	void whoSharesAKeyIsNotLetInWhileOneHoldsItAlone() {
		Lease alone = this.engine.lease(KEY, ALONE);
		CompletableFuture<Lease> here = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> there = this.other.request(SHARED);
		assertThat(this.engine.request(KEY, TRIES)).isCompletedExceptionally();
		assertThat(here).isNotDone();
		alone.close();
		this.engine.tickMillis(300);
		assertThat(here).isCompletedWithValueMatching(Lease::isValid);
		assertThat(there).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoWaitsAloneIsNotOvertakenByWhoComesLaterToShare() {
		Lease first = this.engine.lease(KEY, SHARED);
		CompletableFuture<Lease> alone = this.engine.request(KEY, ALONE);
		CompletableFuture<Lease> later = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> elsewhere = this.other.request(SHARED);
		assertThat(List.of(alone, later, elsewhere)).noneMatch(CompletableFuture::isDone);
		first.close();
		assertThat(alone).isCompletedWithValueMatching(Lease::isValid);
		assertThat(List.of(later, elsewhere)).noneMatch(CompletableFuture::isDone);
		alone.join().close();
		this.engine.tickMillis(300);
		assertThat(List.of(later, elsewhere)).allMatch((lease) -> lease.isDone() && lease.join().isValid());
	}

	@Test
	void whoWaitsAloneElsewhereIsLetInWhenThoseWhoShareNowHaveEnded() {
		List<Lease> readers = new ArrayList<>();
		readers.add(this.engine.lease(KEY, SHARED));
		CompletableFuture<Lease> alone = this.other.request(ALONE);
		readers.add(this.engine.lease(KEY, SHARED));
		this.engine.tickMillis(0);
		this.engine.tickMillis(5);
		CompletableFuture<Lease> late = this.engine.request(KEY, SHARED);
		assertThat(late).as("after the slice").isNotDone();
		readers.forEach(Lease::close);
		this.engine.tickMillis(0);
		assertThat(alone).isCompletedWithValueMatching(Lease::isValid);
		assertThat(late).isNotDone();
		alone.join().close();
		this.engine.tickMillis(300);
		assertThat(late).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void allWhoWaitToShareInAnInstanceAreLetInTogether() {
		Lease alone = this.engine.lease(KEY, ALONE);
		List<CompletableFuture<Lease>> readers = new ArrayList<>();
		CompletableFuture<Lease> nextAlone = null;
		for (int i = 0; i < 1_000; i++) {
			readers.add(this.engine.request(KEY, SHARED));
			nextAlone = (i == 500) ? this.engine.request(KEY, ALONE) : nextAlone;
		}
		int before = acquires();
		alone.close();
		assertThat(readers).allMatch((lease) -> lease.isDone() && lease.join().isValid());
		assertThat(acquires() - before).as("and one for who waits alone").isLessThanOrEqualTo(2);
		assertThat(nextAlone).isNotDone();
		readers.forEach((lease) -> lease.join().close());
		assertThat(nextAlone).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoGivesUpWaitingAloneLetsThoseInWhoStoodBehind() {
		Lease first = this.engine.lease(KEY, SHARED);
		CompletableFuture<Lease> alone = this.engine.request(KEY, ALONE);
		CompletableFuture<Lease> here = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> there = this.other.request(SHARED);
		alone.cancel(false);
		this.engine.tickMillis(300);
		assertThat(List.of(here, there)).allMatch((lease) -> lease.isDone() && lease.join().isValid());
		assertThat(first.isValid()).isTrue();
	}

	@Test
	void whoTriesOnceToShareIsLetInUnlessOneWaitsAlone() {
		Lease first = this.engine.lease(KEY, SHARED);
		assertThat(this.engine.request(KEY, TRIES)).isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.engine.request(KEY, TRIES.withTtl(Duration.ofSeconds(7))))
			.isCompletedWithValueMatching(Lease::isValid);
		assertThat(this.other.request(TRIES)).isCompletedWithValueMatching(Lease::isValid);
		CompletableFuture<Lease> alone = this.other.request(ALONE);
		this.engine.tickMillis(0);
		this.engine.tickMillis(5);
		assertThat(this.engine.request(KEY, TRIES.withTtl(Duration.ofSeconds(7)))).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
		assertThat(alone).isNotDone();
		assertThat(this.engine.request(KEY, ALONE.withWaitTime(Duration.ZERO))).isCompletedExceptionally();
		assertThat(first.isValid()).isTrue();
	}

	@Test
	void eachTtlAndEachLimitHasAnOwnerIdOfItsOwn() {
		List<LockOptions> options = List.of(SHARED, SHARED.withTtl(Duration.ofSeconds(7)), SHARED.withRenew(false),
				SHARED.withMaxHold(Duration.ofMinutes(1)), SHARED.withRenew(false));
		List<Lease> leases = options.stream().map((each) -> this.engine.lease(KEY, each)).toList();
		assertThat(leases).extracting(Lease::ownerId).doesNotHaveDuplicates();
		assertThat(leases).extracting(Lease::ttl)
			.containsExactly(ManualEngine.TTL, Duration.ofSeconds(7), ManualEngine.TTL, ManualEngine.TTL,
					ManualEngine.TTL);
		assertThat(leases.get(2).remaining()).isEqualTo(ManualEngine.TERM);
		this.engine.tick(Duration.ofSeconds(20));
		assertThat(leases.get(4).remaining()).isEqualTo(ManualEngine.TERM.minusSeconds(20));
		this.engine.tick(Duration.ofSeconds(20));
		assertThat(leases).extracting(Lease::isValid).containsExactly(true, true, false, true, false);
		this.engine.tick(Duration.ofMinutes(1));
		assertThat(leases).extracting(Lease::isValid).containsExactly(true, true, false, false, false);
		leases.forEach(Lease::close);
		assertThat(holders()).isEmpty();
	}

	@Test
	void aSharedLeaseIsRenewedUntilTheLastOfItIsReleased() {
		Lease first = this.engine.lease(KEY, SHARED);
		Lease second = this.engine.lease(KEY, SHARED);
		this.engine.tick(Duration.ofMinutes(2));
		first.close();
		this.engine.tick(Duration.ofMinutes(2));
		assertThat(second.isValid()).isTrue();
		assertThat(holders()).hasSize(1);
		second.close();
		int renewals = this.store.renewals().commands().size();
		this.engine.tick(Duration.ofMinutes(2));
		assertThat(this.store.renewals().commands()).hasSize(renewals);
	}

	@Test
	void allWhoShareAnOwnerIdLoseItTogether() {
		List<Lease> leases = List.of(this.engine.lease(KEY, SHARED), this.engine.lease(KEY, SHARED));
		List<LossCause> causes = new ArrayList<>();
		leases.forEach((lease) -> lease.onLost(causes::add));
		assertThat(this.other.registry.forceRelease(KEY, null).join()).isTrue();
		this.engine.tickMillis(0);
		assertThat(causes).containsExactly(LossCause.FORCED, LossCause.FORCED);
		assertThat(leases).noneMatch(Lease::isValid);
		assertThat(this.other.lease(ALONE).isValid()).isTrue();
	}

	@Test
	void aForcedReleaseIsOneOfAllWhoShareTheKey() {
		Lease here = this.engine.lease(KEY, SHARED);
		Lease there = this.other.lease(SHARED);
		assertThat(this.other.registry.forceRelease(KEY, null).join()).isTrue();
		this.engine.tickMillis(0);
		assertThat(List.of(here, there)).noneMatch(Lease::isValid);
	}

	@Test
	void aSharedLeaseThatIsNotRenewedIsLostAtItsDeadline() {
		this.store.renewals().hold();
		List<LossCause> causes = new ArrayList<>();
		this.engine.lease(KEY, SHARED).onLost(causes::add);
		this.engine.lease(KEY, SHARED).onLost(causes::add);
		CompletableFuture<Lease> writer = this.other.request(ALONE);
		this.engine.tick(ManualEngine.TERM);
		assertThat(causes).containsExactly(LossCause.EXPIRED, LossCause.EXPIRED);
		assertThat(writer).as("before the key is free").isNotDone();
		assertThat(this.engine.registry().leaseCount()).isZero();
		this.engine.tick(ManualEngine.TTL.minus(ManualEngine.TERM).plusMillis(2));
		assertThat(writer).isCompletedWithValueMatching(Lease::isValid);
	}

	/**
	 * He was told for how long another one would share it, who has left since.
	 */
	@Test
	void whoWaitsAloneAsksWhenTheLastLeaseHereHasRunOut() {
		Lease longer = this.other.lease(SHARED.withTtl(Duration.ofSeconds(30)));
		Lease here = this.engine.lease(KEY, SHARED.withTtl(Duration.ofMillis(500)).withRenew(false));
		CompletableFuture<Lease> alone = this.engine.request(KEY, ALONE);
		longer.close();
		this.engine.tickMillis(600);
		assertThat(here.isValid()).isFalse();
		assertThat(alone).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoSharedAKeyThatTheStoreForgotLosesItWhenOneHereHasItAlone() {
		Lease shared = this.engine.lease(KEY, SHARED);
		List<LossCause> causes = new ArrayList<>();
		shared.onLost(causes::add);
		this.truth.release(new Release(KEY, ManualEngine.INSTANCE, shared.ownerId(), false)).join();
		Lease alone = this.engine.lease(KEY, ALONE);
		assertThat(causes).containsExactly(LossCause.TAKEN);
		assertThat(shared.isValid()).isFalse();
		assertThat(alone.releaseAsync()).isCompletedWithValue(true);
	}

	@Test
	void whoTriesOnceBesideOneWhoIsAskedForIsNotToldThatHeHasTheKey() {
		this.store.acquires().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> second = this.engine.request(KEY, TRIES.withTtl(Duration.ofSeconds(7)));
		this.store.acquires().last().answer(this.store.granted(1, false));
		assertThat(first).isCompletedWithValueMatching(Lease::isValid);
		assertThat(second).isNotDone();
		this.store.acquires().last().answer(this.store.granted(1, false));
		assertThat(second).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoTriesOnceBesideOneWhoIsAskedForIsToldThatTheKeyIsBusyWithHim() {
		this.store.acquires().hold();
		CompletableFuture<Lease> first = this.engine.request(KEY, SHARED);
		CompletableFuture<Lease> second = this.engine.request(KEY, TRIES);
		this.store.acquires().last().answer(ScriptedStore.busy("other:1", Duration.ofSeconds(9)));
		assertThat(second).isCompletedExceptionally();
		assertThat(first).isNotDone();
	}

	@Test
	void whoWaitsToShareBehindOneWhoWaitsAloneIsToldInTime() {
		this.engine.lease(KEY, SHARED);
		this.store.acquires().hold();
		CompletableFuture<Lease> alone = this.engine.request(KEY, ALONE);
		CompletableFuture<Lease> behind = this.engine.request(KEY, SHARED.withWaitTime(Duration.ofMillis(100)));
		this.engine.tickMillis(101);
		this.store.acquires().last().answer(ScriptedStore.busy("other:1", Duration.ofSeconds(9)));
		this.engine.tickMillis(0);
		assertThat(behind).isCompletedExceptionally();
		assertThat(alone).isNotDone();
	}

	@Test
	void whoIsNotToldThatOthersWaitAsksOnceInAPollInterval() {
		Lease first = this.engine.lease(KEY, SHARED);
		this.truth.ignore(ManualEngine.INSTANCE);
		CompletableFuture<Lease> alone = this.other.request(ALONE);
		Lease second = this.engine.lease(KEY, SHARED);
		this.engine.tick(ManualEngine.settings().pollInterval());
		assertThat(this.engine.request(KEY, SHARED)).isNotDone();
		first.close();
		second.close();
		this.engine.tick(ManualEngine.settings().pollInterval());
		assertThat(alone).isCompletedWithValueMatching(Lease::isValid);
	}

	@Test
	void whoBecomesFirstAfterOneWhoGaveUpKeepsThePlaceOfTheInstance() {
		Lease first = this.other.lease(SHARED);
		CompletableFuture<Lease> alone = this.engine.request(KEY, ALONE);
		CompletableFuture<Lease> elsewhere = this.other.request(ALONE);
		CompletableFuture<Lease> here = this.engine.request(KEY, SHARED);
		this.engine.tickMillis(0);
		alone.cancel(false);
		assertThat(here).isCompletedWithValueMatching(Lease::isValid);
		assertThat(elsewhere).isNotDone();
		assertThat(first.isValid()).isTrue();
	}

	@Test
	void severalKeysAreShared() {
		List<String> keys = List.of("b", "a");
		List<Lease> here = this.engine.registry().acquireAllAsync(keys, SHARED).join();
		List<Lease> there = this.other.registry.acquireAllAsync(keys, SHARED).join();
		assertThat(here).extracting(Lease::key).containsExactly("a", "b");
		assertThat(there).allMatch(Lease::isValid);
		assertThat(this.engine.registry().acquireAllAsync(keys, TRIES)).isCompleted();
		assertThat(this.other.registry.acquireAllAsync(keys, ALONE.withWaitTime(Duration.ZERO)))
			.isCompletedExceptionally();
	}

	@Test
	void aStoreWithExclusiveLocksOnlyIsRefusedBeforeAnything() {
		ManualEngine exclusive = new ManualEngine();
		exclusive.store().sharesNothing();
		assertThatIllegalArgumentException().isThrownBy(() -> exclusive.registry().obtain(KEY, SHARED))
			.withMessageContaining("SHARED")
			.withMessageContaining("migration");
		assertThat(exclusive.store().journal()).isEmpty();
	}

	@Test
	void aPermitCannotBeShared() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.engine.registry().permits(KEY, 3, SHARED));
	}

	private int acquires() {
		return (int) this.store.acquires().commands().stream().filter((command) -> command.key().equals(KEY)).count();
	}

	private List<String> holders() {
		return this.truth.inspect(KEY).join().lock().ownerIds();
	}

	/**
	 * Another instance over the same store.
	 */
	private final class Other {

		private final DefaultLockRegistry registry = new DefaultLockRegistry("other", SharedLockTest.this.truth,
				ManualEngine.settings(), List.of(), List.of(), SharedLockTest.this.engine.time());

		void listen() {
			Lease first = this.registry.acquireAsync("others", ALONE).join();
			CompletableFuture<Lease> second = this.registry.acquireAsync("others", ALONE);
			first.close();
			second.join().close();
			SharedLockTest.this.engine.tickMillis(0);
		}

		CompletableFuture<Lease> request(LockOptions options) {
			return this.registry.acquireAsync(KEY, options);
		}

		Lease lease(LockOptions options) {
			try {
				return request(options).join();
			}
			catch (CompletionException ex) {
				throw new AssertionError(ex.getCause());
			}
		}

	}

}
