// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.Queue;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockInspector.QueuedInstance;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.store.LockStore.Signals;
import io.lockstarter.platform.Platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * What every {@link LockStore} must do, asserted through its methods alone, in the time
 * of its {@link #platform()} and on one thread. Each test uses a key and instances of its
 * own, so that a store may be shared between tests.
 */
public abstract class LockStoreContract {

	private static final int TOKENS = 10;

	private static final Duration LONG = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Duration QUIET = Duration.ofMillis(150);

	private static final Duration PAUSE = Duration.ofMillis(3);

	private final String run;

	private final String key;

	private final Duration brief;

	private final Instance a;

	private final Instance b;

	private final Instance c;

	private final Instance d;

	protected LockStoreContract() {
		this(Duration.ofMillis(500));
	}

	/**
	 * Create the contract.
	 * @param brief a ttl that is waited for, and that some commands in a row never take
	 */
	protected LockStoreContract(Duration brief) {
		this(UUID.randomUUID().toString(), brief);
	}

	/**
	 * Create the contract.
	 * @param run what the names of a test have in common
	 * @param brief a ttl that is waited for, and that some commands in a row never take
	 */
	protected LockStoreContract(String run, Duration brief) {
		this.run = run;
		this.key = "contract:" + run;
		this.brief = brief;
		this.a = new Instance("a");
		this.b = new Instance("b");
		this.c = new Instance("c");
		this.d = new Instance("d");
	}

	/**
	 * Return the store to test, the same one during a test.
	 * @return the store
	 */
	protected abstract LockStore store();

	/**
	 * Return the platform of the store, whose time it is.
	 * @return the platform
	 */
	protected Platform platform() {
		return Platform.system();
	}

	/**
	 * Let time pass, until a future is complete at the latest.
	 * @param future the future
	 * @param atMost for how long at most
	 * @return whether the future is complete
	 * @throws InterruptedException if the thread is interrupted
	 */
	protected boolean await(CompletableFuture<?> future, Duration atMost) throws InterruptedException {
		return platform().await(future, atMost.toNanos());
	}

	// Commands

	@Test
	void aBusyKeyIsAnsweredAtOnceInsteadOfWaitingForIt() {
		this.a.take();
		CompletableFuture<AcquireReply> reply = store().acquire(this.b.command(LONG, true));
		assertThat(within(Duration.ofSeconds(1), reply)).isInstanceOf(Busy.class);
	}

	@Test
	void commandsOfAKeyTakeEffectInTheOrderInWhichTheyWereIssued() {
		List<CompletableFuture<?>> replies = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			Acquire first = this.a.command(LONG, false);
			Acquire second = this.b.command(LONG, false);
			replies.add(store().acquire(first).thenApply(Acquired.class::isInstance));
			replies.add(store().acquire(second).thenApply(Busy.class::isInstance));
			replies.add(store().renew(List.of(renewal(first, LONG))).thenApply(List.of(true)::equals));
			replies.add(store().release(this.a.releaseOf(first.ownerId(), false)));
			replies.add(store().acquire(second).thenApply(Acquired.class::isInstance));
			replies.add(store().renew(List.of(renewal(first, LONG))).thenApply(List.of(false)::equals));
			replies.add(store().release(this.b.releaseOf(second.ownerId(), false)));
		}
		assertThat(replies).allSatisfy((reply) -> assertThat(value(reply)).isEqualTo(true));
	}

	@Test
	void anAcquisitionThatIsCancelledAndReleasedLeavesTheKeyFree() {
		Acquire cancelled = this.a.command(LONG, false);
		store().acquire(cancelled).cancel(false);
		value(store().release(this.a.releaseOf(cancelled.ownerId(), false)));
		this.b.take();
	}

	// Acquire

	@Test
	void aFreeKeyIsTaken() {
		assertThat(this.a.acquire(LONG, false)).isInstanceOf(Acquired.class);
	}

	@Test
	void aKeyHeldByAnotherInstanceIsBusyAndNamesItsHolderAndRemainingTtl() {
		String owner = this.a.take();
		Busy busy = this.b.findBusy(false);
		assertThat(busy.holder()).isEqualTo(owner);
		assertThat(busy.remaining()).isBetween(LONG.minus(PATIENCE), LONG);
	}

	@Test
	void aKeyHeldByAnotherOwnerIdOfTheSameInstanceIsBusy() {
		String owner = this.a.take();
		assertThat(this.a.findBusy(false).holder()).isEqualTo(owner);
	}

	@Test
	void keysAreIndependent() {
		this.a.take();
		Acquire other = new Acquire(this.key + ":other", this.b.id, this.b.newOwnerId(), LONG, false, 10);
		assertThat(value(store().acquire(other))).isInstanceOf(Acquired.class);
	}

	@Test
	void aKeyIsFreeWhenItsTtlHasPassedAndNotBefore() {
		long sent = platform().nanoTime();
		this.a.take(this.brief);
		this.b.findBusy(false);
		this.b.awaitTaken();
		// Clocks may differ by a hundredth.
		assertThat(Duration.ofNanos(platform().nanoTime() - sent))
			.isGreaterThanOrEqualTo(this.brief.multipliedBy(99).dividedBy(100));
	}

	@Test
	void anAcquisitionThatIsRepeatedByItsOwnerIdIsHeldWithLargerTokens() {
		Acquire command = this.a.command(LONG, false);
		Acquired first = (Acquired) value(store().acquire(command));
		Acquired again = (Acquired) value(store().acquire(command));
		assertThat(again.firstToken()).isGreaterThan(first.lastToken());
		this.b.findBusy(false);
	}

	@Test
	void anAcquisitionThatIsRepeatedSetsTheTtlAnew() {
		Acquire command = this.a.command(this.brief, false);
		value(store().acquire(command));
		value(store().acquire(new Acquire(command.key(), command.instance(), command.ownerId(), LONG, command.enqueue(),
				command.tokens())));
		assertThat(this.b.findBusy(false).remaining()).isGreaterThan(this.brief);
	}

	@Test
	void anAcquisitionThatIsRepeatedLateDoesNotShortenTheTtl() {
		Acquire command = this.a.command(this.brief, false);
		value(store().acquire(command));
		assertThat(this.a.renew(command.ownerId(), LONG)).isTrue();
		value(store().acquire(command));
		assertThat(this.b.findBusy(false).remaining()).isGreaterThan(LONG.minus(PATIENCE));
	}

	@Test
	void anAcquisitionOfWhoSharesTheKeyThatIsRepeatedLateDoesNotShortenTheTtl() {
		assumeShareable();
		Acquire command = this.a.sharing(this.brief, false);
		value(store().acquire(command));
		assertThat(this.a.renew(command.ownerId(), LONG)).isTrue();
		value(store().acquire(command));
		assertThat(this.b.findBusy(false).remaining()).isGreaterThan(LONG.minus(PATIENCE));
	}

	@Test
	void anAcquisitionThatIsRepeatedIsReleasedOnce() {
		Acquire command = this.a.command(LONG, false);
		value(store().acquire(command));
		value(store().acquire(command));
		assertThat(this.a.release(command.ownerId())).isTrue();
		this.b.take();
	}

	@Test
	void whoHasToHoldTheKeyAcquiresItAnewLikeAnybodyElseWhoDoes() {
		listenAll();
		Acquire command = this.a.command(this.brief, false);
		Acquired first = (Acquired) value(store().acquire(command));
		Acquired again = (Acquired) value(store().acquire(held(command)));
		assertThat(again.firstToken()).isGreaterThan(first.lastToken());
		assertThat(again.lastToken() - again.firstToken()).isEqualTo(TOKENS - 1);
		assertThat(again.contended()).isFalse();
		assertThat(this.b.findBusy(true).remaining()).isGreaterThan(this.brief);
		assertThat(((Acquired) value(store().acquire(held(command)))).contended()).isTrue();
		assertThat(this.a.release(command.ownerId())).isTrue();
	}

	@Test
	void whoHasToHoldTheKeyButDoesNotLeavesItAsItIs() {
		this.b.listen();
		Acquire free = this.a.command(LONG, true);
		assertGone(free);
		Acquire expired = this.a.command(this.brief, true);
		value(store().acquire(expired));
		this.b.awaitTaken();
		assertGone(expired);
		assertQuiet(this.b);
	}

	@Test
	void whoHasToHoldAKeyThatIsReservedForItsInstanceDoesNot() {
		listenAll();
		String owner = this.b.take();
		this.a.findBusy(true);
		this.b.release(owner);
		this.a.awaitSignals("reserved");
		assertGone(this.a.command(LONG, false));
		this.a.take();
	}

	@Test
	void whoHasToHoldTheKeyAloneDoesNotIfItIsShared() {
		assumeThat(store().isShareable()).isTrue();
		Acquire sharing = this.a.sharing(LONG, false);
		value(store().acquire(sharing));
		assertGone(new Acquire(this.key, this.a.id, sharing.ownerId(), LONG, false, TOKENS));
		assertThat(this.a.renew(sharing.ownerId(), LONG)).isTrue();
	}

	@Test
	void whoHasToHoldTheKeyDoesNotIfItIsKept() {
		Acquire command = this.a.command(LONG, false);
		value(store().acquire(command));
		value(store().keep(renewal(command, LONG)));
		assertGone(command);
	}

	@Test
	void whoHasToHoldTheKeyAndIsCancelledAndReleasedLeavesTheKeyFree() {
		Acquire command = this.a.command(LONG, false);
		value(store().acquire(command));
		store().acquire(held(command)).cancel(false);
		value(store().release(this.a.releaseOf(command.ownerId(), false)));
		this.b.take();
	}

	private void assertGone(Acquire command) {
		assertThat(value(store().acquire(held(command)))).isInstanceOfSatisfying(Busy.class,
				(busy) -> assertThat(busy.holder()).isNull());
	}

	private static Acquire held(Acquire command) {
		return new Acquire(command.key(), command.instance(), command.ownerId(), LONG, command.queueing(),
				command.tokens(), command.queued(), command.mode(), true);
	}

	@Test
	void tokensGrowOverReleases() {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			Instance next = (i % 2 == 0) ? this.a : this.b;
			Acquire command = next.command(LONG, false);
			Acquired acquired = (Acquired) value(store().acquire(command));
			assertThat(acquired.firstToken()).isGreaterThan(last);
			assertThat(acquired.lastToken()).isGreaterThanOrEqualTo(acquired.firstToken());
			last = acquired.lastToken();
			assertThat(next.release(command.ownerId())).isTrue();
		}
	}

	@Test
	void tokensGrowOverExpiry() {
		Acquired first = (Acquired) this.a.acquire(this.brief, false);
		Acquired second = this.b.awaitTaken();
		assertThat(second.firstToken()).isGreaterThan(first.lastToken());
	}

	// Queue

	@Test
	void anInstanceThatEnqueuesTellsTheHoldersInstanceEachTime() {
		this.a.listen();
		this.a.take();
		this.b.findBusy(true);
		this.a.awaitSignals("contended");
		this.b.findBusy(true);
		this.a.awaitSignals("contended", "contended");
	}

	@Test
	void anInstanceThatOnlyTriesIsNeitherQueuedNorSignalled() {
		this.a.listen();
		this.b.listen();
		String owner = this.a.take();
		this.b.findBusy(false);
		this.a.release(owner);
		this.c.take();
		assertQuiet(this.a, this.b);
	}

	@Test
	void anAcquisitionTellsWhetherOtherInstancesWait() {
		listenAll();
		Acquire first = this.a.command(LONG, false);
		assertThat(((Acquired) value(store().acquire(first))).contended()).isFalse();
		this.b.findBusy(true);
		this.c.findBusy(true);
		assertThat(((Acquired) value(store().acquire(first))).contended()).isTrue();
		this.a.release(first.ownerId());
		Acquire second = this.b.command(LONG, false);
		assertThat(((Acquired) value(store().acquire(second))).contended()).isTrue();
		this.b.release(second.ownerId());
		assertThat(((Acquired) this.c.acquire(LONG, false)).contended()).isFalse();
	}

	@Test
	void aKeyThatExpiredIsFreeForAllAlthoughInstancesWait() {
		listenAll();
		this.a.take(this.brief);
		this.b.findBusy(true);
		assertThat(this.c.awaitTaken().contended()).isTrue();
	}

	@Test
	void anInstanceThatTookTheKeyIsNotInTheQueueAnyMore() {
		listenAll();
		this.a.take(this.brief);
		this.b.findBusy(true);
		Acquire command = this.b.command(LONG, true);
		until(() -> value(store().acquire(command)) instanceof Acquired);
		this.b.release(command.ownerId());
		this.c.take();
		assertQuiet(this.b);
	}

	@Test
	void anInstanceThatEnqueuesTwiceStandsInTheQueueOnceAndKeepsItsPlace() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.b.findBusy(true);
		this.a.release(owner);
		String second = this.b.takeReserved();
		this.b.release(second);
		String third = this.c.takeReserved();
		this.c.release(third);
		this.a.take();
		this.b.awaitSignals("reserved");
	}

	// Grants

	@Test
	void aReleaseGrantsTheKeyToTheNextThatAskedForThat() {
		assumeThat(grants()).isTrue();
		listenAll();
		Acquire first = this.a.command(LONG, false);
		Acquired held = (Acquired) value(store().acquire(first));
		long nextToken = this.b.awaitGrant().nextToken();
		assertThat(nextToken).isGreaterThan(held.lastToken());
		this.c.findBusy(true);
		this.a.release(first.ownerId());
		until(() -> this.b.grant != null);
		String second = Objects.requireNonNull(this.b.granted);
		assertThat(this.b.renew(second, LONG)).isTrue();
		assertThat(this.b.signals).containsExactly("granted");
		assertThat(second).startsWith(this.b.id + ":");
		Acquired tokens = Objects.requireNonNull(this.b.grant);
		assertThat(tokens.firstToken()).isGreaterThanOrEqualTo(nextToken);
		assertThat(tokens.lastToken()).isGreaterThanOrEqualTo(tokens.firstToken());
		assertThat(tokens.contended()).isTrue();
		assertThat(this.d.findBusy(false).holder()).isEqualTo(second);
		assertThat(this.b.release(second)).isTrue();
		this.c.takeReserved();
	}

	@Test
	void aGrantThatIsNotRenewedIsOverAfterItsTerm() {
		assumeThat(grants()).isTrue();
		listenAll();
		String first = this.a.take();
		this.b.awaitGrant();
		long begin = platform().nanoTime();
		this.a.release(first);
		Acquired next = this.c.awaitTaken();
		assertThat(Duration.ofNanos(platform().nanoTime() - begin))
			.isGreaterThanOrEqualTo(store().grantTerm().multipliedBy(99).dividedBy(100));
		until(() -> this.b.grant != null);
		assertThat(next.firstToken()).isGreaterThan(Objects.requireNonNull(this.b.grant).lastToken());
		assertThat(this.b.renew(Objects.requireNonNull(this.b.granted), LONG)).isFalse();
	}

	// Shared keys

	@Test
	void aSharedKeyIsHeldBySeveralAndByNobodyAlone() {
		assumeShareable();
		Acquired first = this.a.share(LONG);
		Acquired second = this.b.share(LONG);
		assertThat(second.firstToken()).isGreaterThan(first.lastToken());
		assertThat(this.c.findBusy(false).holder()).isNotNull();
	}

	@Test
	void aKeyThatIsHeldAloneCannotBeShared() {
		assumeShareable();
		String owner = this.a.take();
		assertThat(this.b.shareBusy(false).holder()).isEqualTo(owner);
		this.a.release(owner);
		this.b.share(LONG);
	}

	@Test
	void aSharedKeyIsFreeWhenTheLastOneReleasedIt() {
		assumeShareable();
		Acquire first = this.a.sharing(LONG, false);
		Acquire second = this.b.sharing(LONG, false);
		value(store().acquire(first));
		value(store().acquire(second));
		assertThat(this.a.release(first.ownerId())).isTrue();
		assertThat(this.a.release(first.ownerId())).isFalse();
		this.c.findBusy(false);
		assertThat(this.b.release(second.ownerId())).isTrue();
		this.c.take();
	}

	@Test
	void tokensGrowFromWhoSharesAKeyToWhoHoldsItAloneAndBack() {
		assumeShareable();
		long last = 0;
		for (int i = 0; i < 3; i++) {
			Acquire sharing = this.a.sharing(LONG, false);
			Acquired shared = (Acquired) value(store().acquire(sharing));
			assertThat(shared.firstToken()).isGreaterThan(last);
			this.a.release(sharing.ownerId());
			Acquire alone = this.b.command(LONG, false);
			Acquired held = (Acquired) value(store().acquire(alone));
			assertThat(held.firstToken()).isGreaterThan(shared.firstToken());
			this.b.release(alone.ownerId());
			last = held.lastToken();
		}
	}

	@Test
	void whoSharesAKeyTwiceOverALostReplyHoldsItOnce() {
		assumeShareable();
		Acquire command = this.a.sharing(LONG, false);
		Acquired first = (Acquired) value(store().acquire(command));
		Acquired again = (Acquired) value(store().acquire(command));
		assertThat(again.firstToken()).isGreaterThan(first.lastToken());
		assertThat(this.a.release(command.ownerId())).isTrue();
		this.b.take();
	}

	@Test
	void eachWhoSharesAKeyHasATtlOfItsOwn() {
		assumeShareable();
		Acquire brief = this.a.sharing(this.brief, false);
		Acquire lasting = this.b.sharing(LONG, false);
		value(store().acquire(lasting));
		value(store().acquire(brief));
		assertThat(this.b.renew(lasting.ownerId(), LONG)).isTrue();
		pass(this.brief.plus(QUIET));
		assertThat(this.a.renew(brief.ownerId(), LONG)).isFalse();
		assertThat(this.b.renew(lasting.ownerId(), LONG)).isTrue();
		assertThat(this.c.findBusy(false).remaining()).isGreaterThan(this.brief);
	}

	@Test
	void whoDiesSharingAKeyDelaysOthersByItsOwnTtlOnly() {
		assumeShareable();
		Acquire lasting = this.a.sharing(LONG, false);
		value(store().acquire(lasting));
		this.b.share(this.brief);
		this.a.release(lasting.ownerId());
		assertThat(this.c.findBusy(false).remaining()).isLessThanOrEqualTo(this.brief);
		this.c.awaitTaken();
	}

	@Test
	void whoReleasesASharedKeyLastPassesItOnAlthoughAnotherExpiredBeside() {
		assumeShareable();
		listenAll();
		Acquire lasting = this.a.sharing(LONG, false);
		value(store().acquire(lasting));
		this.b.share(this.brief);
		this.c.findBusy(true);
		pass(this.brief.plus(QUIET));
		assertThat(this.c.signals).doesNotContain("reserved");
		this.a.release(lasting.ownerId());
		this.c.awaitSignals("reserved");
		this.c.take();
	}

	@Test
	void aShareOfAKeyIsRenewed() {
		assumeShareable();
		Acquire command = this.a.sharing(this.brief, false);
		value(store().acquire(command));
		assertThat(this.a.renew(command.ownerId(), LONG)).isTrue();
		assertThat(this.b.findBusy(false).remaining()).isGreaterThan(this.brief);
	}

	@Test
	void whoWantsASharedKeyAloneTellsAllWhoShareIt() {
		assumeShareable();
		listenAll();
		this.a.share(LONG);
		this.b.share(LONG);
		this.c.findBusy(true);
		this.a.awaitSignals("contended");
		this.b.awaitSignals("contended");
	}

	@Test
	void whoWantsToShareAKeyStandsBehindWhoWaitsForItAlone() {
		assumeShareable();
		listenAll();
		Acquire sharing = this.a.sharing(LONG, false);
		value(store().acquire(sharing));
		this.b.findBusy(true);
		// The store may have a server that is slower, and would take both at the same
		// time.
		pass(PAUSE);
		this.c.shareBusy(true);
		this.a.release(sharing.ownerId());
		String alone = this.b.takeReserved();
		assertQuiet(this.c);
		this.b.release(alone);
		this.c.awaitSignals("reserved");
		assertThat(this.c.share(LONG).contended()).isFalse();
	}

	@Test
	void allWhoWaitToShareAKeyAreLetInTogether() {
		assumeShareable();
		listenAll();
		String owner = this.a.take();
		this.b.shareBusy(true);
		this.c.findBusy(true);
		this.d.shareBusy(true);
		this.a.release(owner);
		this.b.awaitSignals("reserved");
		this.d.awaitSignals("reserved");
		Acquired first = this.b.share(LONG);
		Acquired second = this.d.share(LONG);
		assertQuiet(this.c);
		assertThat(first.contended()).isTrue();
		assertThat(second.contended()).isTrue();
		this.a.shareBusy(false);
	}

	@Test
	void aPlaceThatIsReservedForSharingIsNotOneToHoldTheKeyAlone() {
		assumeShareable();
		listenAll();
		String owner = this.a.take();
		this.b.shareBusy(true);
		this.a.release(owner);
		this.b.awaitSignals("reserved");
		assertThat(this.c.findBusy(false).holder()).isNull();
		this.c.awaitTaken();
	}

	@Test
	void aPlaceThatIsGivenBackIsForTheNext() {
		assumeShareable();
		listenAll();
		String owner = this.a.take();
		this.b.shareBusy(true);
		this.c.findBusy(true);
		this.a.release(owner);
		this.b.awaitSignals("reserved");
		value(store().leave(this.key, this.b.id));
		this.c.takeReserved();
	}

	@Test
	void whoGivesUpWaitingForAKeyAloneLetsThoseInWhoStoodBehind() {
		assumeShareable();
		listenAll();
		this.a.share(LONG);
		this.b.findBusy(true);
		this.c.shareBusy(true);
		value(store().leave(this.key, this.b.id));
		this.c.awaitSignals("reserved");
		this.c.share(LONG);
	}

	@Test
	void anInstanceThatWantsToShareTheKeyItWaitedForAloneKeepsItsPlace() {
		assumeShareable();
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.b.shareBusy(true);
		this.a.release(owner);
		this.b.awaitSignals("reserved");
		Acquire sharing = this.b.sharing(LONG, true);
		assertThat(value(store().acquire(sharing))).isInstanceOf(Acquired.class);
		this.b.release(sharing.ownerId());
		this.c.takeReserved();
	}

	@Test
	void anInstanceThatIsFirstInTheQueueJoinsWhoSharesTheKey() {
		assumeShareable();
		listenAll();
		this.a.share(LONG);
		this.b.findBusy(true);
		this.c.shareBusy(true);
		assertThat(value(store().acquire(this.b.sharing(LONG, true)))).isInstanceOf(Acquired.class);
		this.c.awaitSignals("reserved");
	}

	@Test
	void instancesThatDoNotListenAreNotLetIn() {
		assumeShareable();
		this.c.listen();
		String owner = this.a.take();
		this.b.shareBusy(true);
		this.c.findBusy(true);
		this.a.release(owner);
		this.c.takeReserved();
	}

	@Test
	void whoHeldAKeyAloneGoesOnSharingItAndNobodyComesInBetween() {
		assumeShareable();
		listenAll();
		Acquire command = this.a.command(LONG, false);
		Acquired held = (Acquired) value(store().acquire(command));
		this.b.findBusy(true);
		this.c.shareBusy(true);
		Renew share = new Renew(this.key, command.ownerId(), LONG);
		assertThat(value(store().share(share))).isTrue();
		assertThat(value(store().share(share))).as("twice").isTrue();
		this.c.awaitSignals("reserved");
		assertThat(this.c.share(LONG).firstToken()).isGreaterThan(held.lastToken());
		this.b.findBusy(true);
		assertThat(this.a.renew(command.ownerId(), LONG)).isTrue();
		assertThat(this.a.release(command.ownerId())).isTrue();
		assertQuiet(this.b);
	}

	@Test
	void whoDoesNotHoldAKeyCannotGoOnSharingIt() {
		assumeShareable();
		String owner = this.a.take();
		Renew share = new Renew(this.key, this.b.newOwnerId(), LONG);
		assertThat(value(store().share(share))).isFalse();
		assertThat(this.a.renew(owner, LONG)).isTrue();
		assertThat(this.a.release(owner)).isTrue();
		assertThat(value(store().share(share))).isFalse();
	}

	@Test
	void aShareOfAKeyIsReleasedByForce() {
		assumeShareable();
		listenAll();
		Acquire forced = this.a.sharing(LONG, false);
		Acquire other = this.b.sharing(LONG, false);
		value(store().acquire(forced));
		value(store().acquire(other));
		assertThat(value(store().forceRelease(this.key, forced.ownerId()))).isTrue();
		this.a.awaitSignals("forced " + forced.ownerId());
		assertThat(this.a.renew(forced.ownerId(), LONG)).isFalse();
		assertThat(this.b.renew(other.ownerId(), LONG)).isTrue();
	}

	@Test
	void allWhoShareAKeyAreSeen() {
		assumeShareable();
		Acquire first = this.a.sharing(LONG, false);
		Acquire second = this.b.sharing(LONG, false);
		value(store().acquire(first));
		value(store().acquire(second));
		StoredLock lock = value(store().inspect(this.key)).lock();
		assertThat(lock.ownerIds()).containsExactlyInAnyOrder(first.ownerId(), second.ownerId());
		assertThat(lock.shared()).isTrue();
		assertThat(lock.remaining()).isBetween(LONG.minus(PATIENCE), LONG);
		assertThat(lock.reservedFor()).isNull();
		assertThat(listAll()).filteredOn((found) -> found.key().equals(this.key)).singleElement().satisfies((found) -> {
			assertThat(found.ownerIds()).hasSameElementsAs(lock.ownerIds());
			assertThat(found.shared()).isTrue();
		});
	}

	/**
	 * Return whether a signal is told once when nothing fails, and not by each of several
	 * servers.
	 */
	protected boolean tellsOnce() {
		return true;
	}

	/**
	 * Return whether a release passes on a key that it finds expired.
	 */
	protected boolean passesOnWhatExpired() {
		return true;
	}

	private void assumeShareable() {
		assumeThat(store().isShareable()).isTrue();
	}

	// Release

	@Test
	void aReleasedKeyThatNobodyWaitsForIsFree() {
		assertThat(this.a.release(this.a.take())).isTrue();
		this.b.take();
	}

	@Test
	void aReleaseByAnotherOwnerIdHasNoEffect() {
		this.a.take();
		assertThat(this.a.release(this.a.newOwnerId())).isFalse();
		assertThat(this.b.release(this.b.newOwnerId())).isFalse();
		this.c.findBusy(false);
	}

	@Test
	void aReleaseOfAFreeKeyHasNoEffect() {
		assertThat(this.a.release(this.a.newOwnerId())).isFalse();
		this.b.take();
	}

	@Test
	void aReleaseAfterExpiryDoesNotHarmTheSuccessor() {
		String expired = this.a.take(this.brief);
		this.b.awaitTaken();
		assertThat(this.a.release(expired)).isFalse();
		this.c.findBusy(false);
	}

	@Test
	void aReleaseThatFindsTheKeyExpiredPassesItOn() {
		assumeThat(passesOnWhatExpired()).isTrue();
		listenAll();
		this.a.take(this.brief);
		this.b.findBusy(true);
		this.c.findBusy(true);
		releaseInVainUntil(() -> this.b.signals.contains("reserved"));
		this.b.take();
		assertQuiet(this.c);
	}

	@Test
	void whoWaitsAndFindsTheKeyExpiredPassesItOnToTheFirst() {
		assumeThat(passesOnWhatExpired()).isTrue();
		listenAll();
		this.a.take(this.brief);
		this.b.findBusy(true);
		this.c.findBusy(true);
		askInVainUntil(this.c.command(LONG, true), () -> this.b.signals.contains("reserved"));
		this.b.release(this.b.take());
		this.c.takeReserved();
	}

	@Test
	void whoWaitsAndFindsTheKeyExpiredGrantsItToTheFirst() {
		assumeThat(grants()).isTrue();
		listenAll();
		this.a.take(this.brief);
		this.b.awaitGrant();
		this.c.findBusy(true);
		askInVainUntil(this.c.command(LONG, true), () -> this.b.granted != null);
		assertThat(this.c.findBusy(false).holder()).isEqualTo(this.b.granted);
	}

	@Test
	void whoWaitsToShareTheKeyAndFindsItExpiredPassesItOnToTheFirst() {
		assumeThat(passesOnWhatExpired()).isTrue();
		assumeShareable();
		listenAll();
		this.a.take(this.brief);
		this.b.findBusy(true);
		this.c.shareBusy(true);
		askInVainUntil(this.c.sharing(LONG, true), () -> this.b.signals.contains("reserved"));
		this.b.release(this.b.take());
		this.c.awaitSignals("reserved");
		this.c.share(LONG);
	}

	@Test
	void whoWaitsToShareTheKeyAndFindsItExpiredSharesItWithTheFirst() {
		assumeThat(passesOnWhatExpired()).isTrue();
		assumeShareable();
		listenAll();
		this.a.take(this.brief);
		this.b.shareBusy(true);
		this.c.shareBusy(true);
		until(() -> value(store().acquire(this.c.sharing(LONG, true))) instanceof Acquired);
		this.b.awaitSignals("reserved");
		this.b.share(LONG);
	}

	@Test
	void whoWaitsAndFindsTheKeyExpiredHasItIfTheFirstIsGone() {
		this.a.listen();
		this.c.listen();
		this.a.take(this.brief);
		this.b.findBusy(true);
		this.c.findBusy(true);
		Acquire command = this.c.command(LONG, true);
		until(() -> value(store().acquire(command)) instanceof Acquired);
		// Some servers of a quorum have the last lock for a few milliseconds more.
		until(() -> command.ownerId().equals(this.d.findBusy(false).holder()));
	}

	private void askInVainUntil(Acquire command, BooleanSupplier condition) {
		until(() -> {
			assertThat(value(store().acquire(command))).isInstanceOf(Busy.class);
			return condition.getAsBoolean();
		});
	}

	@Test
	void aReleaseThatFindsTheKeyExpiredDoesNotWakeItsOwnInstance() {
		assumeThat(passesOnWhatExpired()).isTrue();
		listenAll();
		String owner = this.a.take(this.brief);
		this.b.findBusy(true);
		until(() -> value(store().inspect(this.key)).lock().remaining() == null);
		assertThat(this.b.release(this.b.newOwnerId())).isFalse();
		assertQuiet(this.b);
		assertThat(this.a.release(owner)).isFalse();
		this.b.awaitSignals("reserved");
	}

	@Test
	void aReleaseThatFindsTheKeyExpiredGrantsIt() {
		assumeThat(grants()).isTrue();
		listenAll();
		this.a.take(this.brief);
		this.b.awaitGrant();
		releaseInVainUntil(() -> this.b.granted != null);
		assertThat(this.c.findBusy(false).holder()).isEqualTo(this.b.granted);
	}

	@Test
	void aReleaseThatFindsTheKeyExpiredLetsThoseInWhoWaitToShareIt() {
		assumeThat(passesOnWhatExpired()).isTrue();
		assumeShareable();
		listenAll();
		this.a.take(this.brief);
		this.b.shareBusy(true);
		this.c.shareBusy(true);
		releaseInVainUntil(() -> this.b.signals.contains("reserved"));
		this.c.awaitSignals("reserved");
		this.b.share(LONG);
		this.c.share(LONG);
		this.d.findBusy(false);
	}

	@Test
	void aReleaseThatFindsASharedKeyExpiredPassesItOn() {
		assumeThat(passesOnWhatExpired()).isTrue();
		assumeShareable();
		listenAll();
		this.a.share(this.brief);
		this.b.findBusy(true);
		releaseInVainUntil(() -> this.b.signals.contains("reserved"));
		this.b.take();
	}

	@Test
	void aReleasedKeyIsReservedForTheFirstInQueueAndWakesItAlone() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.a.release(owner);
		this.b.awaitSignals("reserved");
		assertQuiet(this.c);
	}

	@Test
	void aReservedKeyIsBusyForOthersForAShortTime() {
		listenAll();
		handOver(this.a, this.b);
		Busy busy = this.c.findBusy(false);
		assertThat(busy.holder()).isNull();
		assertThat(busy.remaining()).isBetween(Duration.ZERO, Duration.ofSeconds(1));
		this.a.findBusy(false);
	}

	@Test
	void aReservedKeyIsTakenByItsInstanceWithAnyOwnerId() {
		listenAll();
		handOver(this.a, this.b);
		this.b.take();
		this.c.findBusy(false);
	}

	@Test
	void aReservationThatIsNotUsedLapses() {
		listenAll();
		handOver(this.a, this.b);
		this.c.awaitTaken();
		this.b.findBusy(false);
	}

	@Test
	void theQueueIsFirstInFirstOut() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.d.findBusy(true);
		this.a.release(owner);
		this.b.release(this.b.takeReserved());
		this.c.release(this.c.takeReserved());
		this.d.release(this.d.takeReserved());
		this.a.take();
	}

	@Test
	void instancesThatDoNotListenAreSkippedAndLeaveTheQueue() {
		this.a.listen();
		this.d.listen();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.d.findBusy(true);
		this.a.release(owner);
		this.d.awaitSignals("reserved");
		this.b.findBusy(false);
		assertThat(((Acquired) this.d.acquire(LONG, false)).contended()).isFalse();
	}

	@Test
	void aReleasedKeyIsFreeIfNobodyInItsQueueListens() {
		String owner = this.a.take();
		this.b.findBusy(true);
		this.a.release(owner);
		this.c.take();
	}

	@Test
	void aReleaseThatIsRepeatedDoesNotPassTheReservationOn() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.a.release(owner);
		assertThat(this.a.release(owner)).isFalse();
		this.b.takeReserved();
		assertQuiet(this.c);
	}

	@Test
	void aReleaseThatRequeuesStandsAtTheEnd() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.a.awaitSignals("contended", "contended");
		assertThat(value(store().release(this.a.releaseOf(owner, true)))).isTrue();
		this.b.release(this.b.takeReserved());
		this.c.release(this.c.takeReserved());
		this.a.awaitSignals("contended", "contended", "reserved");
		this.a.take();
	}

	@Test
	void aReleaseThatRequeuesIsReservedForItselfIfNobodyElseWaits() {
		listenAll();
		String owner = this.a.take();
		assertThat(value(store().release(this.a.releaseOf(owner, true)))).isTrue();
		this.a.awaitSignals("reserved");
		this.b.findBusy(false);
		this.a.take();
	}

	@Test
	void aReleaseThatRequeuesWithoutHoldingHasNoEffect() {
		listenAll();
		String owner = this.b.take();
		assertThat(value(store().release(this.a.releaseOf(this.a.newOwnerId(), true)))).isFalse();
		this.b.release(owner);
		this.c.take();
		assertQuiet(this.a);
	}

	// Renew

	@Test
	void aRenewalSetsTheTtlAnew() {
		String owner = this.a.take(this.brief);
		assertThat(this.a.renew(owner, LONG)).isTrue();
		assertThat(this.b.findBusy(false).remaining()).isGreaterThan(this.brief);
		assertThat(this.a.renew(owner, this.brief)).isTrue();
		this.b.awaitTaken();
	}

	@Test
	void aRenewalCountsFromNow() {
		String owner = this.a.take(LONG);
		Duration start = this.b.findBusy(false).remaining();
		until(() -> this.b.findBusy(false).remaining().plusMillis(100).compareTo(start) < 0);
		until(() -> this.a.renew(owner, LONG)
				&& this.b.findBusy(false).remaining().plusMillis(100).compareTo(start) >= 0);
	}

	@Test
	void aRenewalThatIsRepeatedCountsOnce() {
		String owner = this.a.take(LONG);
		this.a.renew(owner, LONG);
		this.a.renew(owner, LONG);
		assertThat(this.b.findBusy(false).remaining()).isLessThanOrEqualTo(LONG);
	}

	@Test
	void aRenewalByAnotherOwnerIdHasNoEffect() {
		this.a.take(this.brief);
		assertThat(this.a.renew(this.a.newOwnerId(), LONG)).isFalse();
		this.b.awaitTaken();
	}

	@Test
	void aRenewalAfterExpiryReleaseOrTakeoverIsRefused() {
		String owner = this.a.take(this.brief);
		pass(this.brief.plus(QUIET));
		assertThat(this.a.renew(owner, LONG)).isFalse();
		String released = this.b.take();
		this.b.release(released);
		assertThat(this.b.renew(released, LONG)).isFalse();
		this.c.take();
		assertThat(this.a.renew(owner, LONG)).isFalse();
	}

	@Test
	void aKeyThatIsKeptIsBusyUntilThatIsOver() {
		String owner = this.a.take();
		assertThat(value(store().keep(new Renew(this.key, owner, this.brief)))).isTrue();
		this.b.findBusy(false);
		until(() -> value(store().acquire(this.b.command(LONG, false))) instanceof Acquired);
		assertThat(value(store().keep(new Renew(this.key, owner, LONG)))).isFalse();
	}

	@Test
	void whoWaitsIsToldThatAKeyIsKeptAndAsksForHowLong() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		assertThat(value(store().keep(new Renew(this.key, owner, this.brief)))).isTrue();
		this.b.awaitSignals("reserved");
		this.c.awaitSignals("reserved");
		assertThat(this.b.findBusy(true).remaining()).isLessThanOrEqualTo(this.brief);
	}

	@Test
	void renewalsAreAnsweredEachInOrder() {
		List<String> keys = IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> this.key + ":" + i)
			.filter((candidate) -> store().partition(candidate) == store().partition(this.key))
			.limit(LockStore.MAX_BATCH)
			.toList();
		List<Renew> commands = IntStream.range(0, LockStore.MAX_BATCH).mapToObj((i) -> {
			Acquire command = new Acquire(keys.get(i), this.a.id, this.a.newOwnerId(), LONG, false, 10);
			assertThat(value(store().acquire(command))).isInstanceOf(Acquired.class);
			return (i % 3 == 0) ? new Renew(command.key(), this.a.newOwnerId(), LONG) : renewal(command, LONG);
		}).toList();
		List<Boolean> expected = IntStream.range(0, LockStore.MAX_BATCH).mapToObj((i) -> i % 3 != 0).toList();
		assertThat(value(store().renew(commands))).isEqualTo(expected);
	}

	@Test
	void noRenewalsAreAnsweredWithNone() {
		assertThat(value(store().renew(List.of()))).isEmpty();
	}

	// Leave

	@Test
	void anInstanceThatLeftIsNotWokenAndDoesNotContend() {
		listenAll();
		Acquire command = this.a.command(LONG, false);
		value(store().acquire(command));
		this.b.findBusy(true);
		value(store().leave(this.key, this.b.id));
		assertThat(((Acquired) value(store().acquire(command))).contended()).isFalse();
		this.a.release(command.ownerId());
		this.c.take();
		assertQuiet(this.b);
	}

	@Test
	void anInstanceThatLeavesPassesItsReservationOn() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.a.release(owner);
		this.b.awaitSignals("reserved");
		value(store().leave(this.key, this.b.id));
		this.c.awaitSignals("reserved");
		this.b.findBusy(false);
		this.c.take();
	}

	@Test
	void aReservationIsFreeIfItsInstanceLeavesAndNobodyElseWaits() {
		listenAll();
		handOver(this.a, this.b);
		value(store().leave(this.key, this.b.id));
		this.c.take();
	}

	@Test
	void leavingTwiceDoesNotTakeTheReservationOfTheNext() {
		listenAll();
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		this.a.release(owner);
		value(store().leave(this.key, this.b.id));
		value(store().leave(this.key, this.b.id));
		this.b.findBusy(false);
		this.c.takeReserved();
	}

	@Test
	void leavingDoesNotReleaseAHeldKey() {
		String owner = this.a.take();
		value(store().leave(this.key, this.a.id));
		this.b.findBusy(false);
		assertThat(this.a.release(owner)).isTrue();
	}

	@Test
	void leavingAQueueThatOneIsNotInHasNoEffect() {
		value(store().leave(this.key, this.a.id));
		this.b.take();
	}

	// Listen and close

	@Test
	void anInstanceThatListensIsToldSo() {
		this.a.listen();
		assertThat(this.a.listening).isTrue();
	}

	@Test
	void aReceiverMayCallTheStore() {
		CompletableFuture<CompletableFuture<AcquireReply>> taken = new CompletableFuture<>();
		this.b.onReserved = () -> taken.complete(store().acquire(this.b.command(LONG, false)));
		listenAll();
		handOver(this.a, this.b);
		// The first of several servers tells before the others have released it, perhaps.
		assertThat(value(value(taken))).isInstanceOf(tellsOnce() ? Acquired.class : AcquireReply.class);
	}

	@Test
	void aClosedStoreReopensAndStillKnowsTheHolder() {
		String owner = this.a.take();
		store().close();
		assertThat(this.b.findBusy(false).holder()).isEqualTo(owner);
		assertThat(this.a.release(owner)).isTrue();
		this.b.take();
	}

	// Several keys

	@Test
	void severalFreeKeysAreTakenAtOnceAndEachIsHeld() {
		List<Acquire> commands = commands(this.a, "first", "second", "third");
		AcquireAllReply reply = value(store().acquireAll(commands));
		assertThat(reply.busyKey()).isNull();
		assertThat(reply.acquired()).hasSize(3)
			.allSatisfy((acquired) -> assertThat(acquired.lastToken()).isEqualTo(acquired.firstToken() + TOKENS - 1));
		assertThat(commands(this.b, "first", "second", "third"))
			.allSatisfy((other) -> assertThat(value(store().acquire(other))).isInstanceOf(Busy.class));
		commands.forEach((command) -> assertThat(release(command)).isTrue());
	}

	@Test
	void ofSeveralKeysThoseAreTakenThatTheReplyTellsIfOneIsBusy() {
		Acquire busy = commands(this.b, "second").get(0);
		value(store().acquire(busy));
		List<Acquire> commands = commands(this.a, "first", "second", "third");
		AcquireAllReply reply = value(store().acquireAll(commands));
		assertThat(reply.acquired()).hasSizeLessThan(2);
		commands.subList(0, reply.acquired().size()).forEach((command) -> assertThat(release(command)).isTrue());
		assertThat(reply.busyKey()).isEqualTo(busy.key());
		assertThat(reply.busy()).isNotNull();
		assertThat(reply.busy().holder()).isEqualTo(busy.ownerId());
		assertThat(commands(this.c, "first", "third"))
			.allSatisfy((other) -> assertThat(value(store().acquire(other))).isInstanceOf(Acquired.class));
	}

	@Test
	void severalKeysThatAreTakenAgainByTheSameOwnerIdsAreHeldAndTokensGrow() {
		List<Acquire> commands = commands(this.a, "first", "second");
		List<Acquired> before = value(store().acquireAll(commands)).acquired();
		List<Acquired> after = value(store().acquireAll(commands)).acquired();
		for (int i = 0; i < 2; i++) {
			assertThat(after.get(i).firstToken()).isGreaterThan(before.get(i).lastToken());
		}
	}

	private List<Acquire> commands(Instance instance, String... suffixes) {
		return Stream.of(suffixes)
			.map((suffix) -> new Acquire(this.key + ":" + suffix, instance.id, instance.newOwnerId(), LONG, false,
					TOKENS))
			.toList();
	}

	private boolean release(Acquire command) {
		return value(store().release(new Release(command.key(), command.instance(), command.ownerId(), false)));
	}

	// Force release

	@Test
	void aKeyThatIsReleasedByForceIsFreeWithLargerTokens() {
		Acquire held = this.a.command(LONG, false);
		Acquired before = (Acquired) value(store().acquire(held));
		assertThat(value(store().forceRelease(this.key, held.ownerId()))).isTrue();
		assertThat(((Acquired) this.b.acquire(LONG, false)).firstToken()).isGreaterThan(before.lastToken());
	}

	@Test
	void aForceReleaseTellsTheHolderAndNobodyElse() {
		listenAll();
		String owner = this.a.take();
		value(store().forceRelease(this.key, owner));
		this.a.awaitSignals("forced " + owner);
		assertQuiet(this.b, this.c, this.d);
	}

	@Test
	void aKeyThatIsReleasedByForceIsReservedForTheFirstInQueueAndWakesItAlone() {
		List.of(this.b, this.c).forEach(Instance::listen);
		String owner = this.a.take();
		this.b.findBusy(true);
		this.c.findBusy(true);
		value(store().forceRelease(this.key, owner));
		this.b.awaitSignals("reserved");
		assertThat(this.c.findBusy(false).holder()).isNull();
		this.b.take();
		assertQuiet(this.c);
	}

	@Test
	void aForceReleaseThatFindsTheKeyExpiredPassesItOn() {
		assumeThat(passesOnWhatExpired()).isTrue();
		listenAll();
		String owner = this.a.take(this.brief);
		this.b.findBusy(true);
		until(() -> !value(store().forceRelease(this.key, this.d.newOwnerId())) && this.b.signals.contains("reserved"));
		this.b.take();
		assertThat(this.a.release(owner)).isFalse();
	}

	@Test
	void aForceReleaseFromAnotherOwnerIdHasNoEffect() {
		String owner = this.a.take();
		assertThat(value(store().forceRelease(this.key, this.a.newOwnerId()))).isFalse();
		assertThat(this.b.findBusy(false).holder()).isEqualTo(owner);
	}

	@Test
	void aForceReleaseThatIsRepeatedDoesNotHarmTheSuccessor() {
		String owner = this.a.take();
		assertThat(value(store().forceRelease(this.key, owner))).isTrue();
		String successor = this.b.take();
		assertThat(value(store().forceRelease(this.key, owner))).isFalse();
		assertThat(this.c.findBusy(false).holder()).isEqualTo(successor);
	}

	@Test
	void aForceReleaseOfAFreeOrReservedKeyHasNoEffect() {
		assertThat(value(store().forceRelease(this.key, this.a.newOwnerId()))).isFalse();
		listenAll();
		handOver(this.a, this.b);
		assertThat(value(store().forceRelease(this.key, this.a.newOwnerId()))).isFalse();
		this.c.findBusy(false);
		this.b.takeReserved();
	}

	@Test
	void anOwnerIdThatLostTheKeyByForceIsToldSoWhenItRenewsOrReleases() {
		Queue<String> told = new ConcurrentLinkedQueue<>();
		LockStore.ConnectionListener listener = new LockStore.ConnectionListener() {

			@Override
			public void reconnected() {
			}

			@Override
			public void reordered(int partition, Duration ago) {
			}

			@Override
			public void forced(String key, String ownerId) {
				told.add(key + " " + ownerId);
			}

		};
		value(store().open(listener));
		String owner = this.a.take();
		value(store().forceRelease(this.key, owner));
		this.b.take();
		assertThat(this.a.renew(owner, LONG)).isFalse();
		// A store of several servers may hear it of several.
		assertThat(told).isNotEmpty().containsOnly(this.key + " " + owner);
		told.clear();
		assertGone(new Acquire(this.key, this.a.id, owner, LONG, false, TOKENS));
		assertThat(told).isNotEmpty();
		told.clear();
		assertThat(this.a.release(owner)).isFalse();
		assertThat(told).isNotEmpty();
		assertThat(this.c.release(this.c.newOwnerId())).isFalse();
		assertThat(told).containsOnly(this.key + " " + owner);
	}

	// Inspection

	@Test
	void aHeldKeyIsDescribedWithItsHolderItsTtlAndItsQueue() {
		listenAll();
		Acquired acquired = (Acquired) this.a.acquire(LONG, false);
		String owner = this.b.findBusy(true).holder();
		this.c.findBusy(true);
		StoredLockDetails details = value(store().inspect(this.key));
		assertThat(details.lock().key()).isEqualTo(this.key);
		assertThat(details.lock().ownerIds()).containsExactly(owner);
		assertThat(details.lock().shared()).isFalse();
		assertThat(owner).startsWith(this.a.id + ":");
		assertThat(details.lock().reservedFor()).isNull();
		assertThat(details.lock().remaining()).isBetween(LONG.minus(PATIENCE), LONG);
		assertThat(details.queue()).extracting(QueuedInstance::instance).containsExactly(this.b.id, this.c.id);
		assertThat(details.lastToken()).isGreaterThanOrEqualTo(acquired.lastToken());
	}

	@Test
	void aReservedKeyIsDescribedWithItsInstance() {
		listenAll();
		handOver(this.a, this.b);
		StoredLock lock = value(store().inspect(this.key)).lock();
		assertThat(lock.ownerIds()).isEmpty();
		assertThat(lock.isFree()).isFalse();
		assertThat(lock.reservedFor()).isEqualTo(this.b.id);
		assertThat(lock.remaining()).isBetween(Duration.ZERO, Duration.ofSeconds(1));
	}

	@Test
	void aFreeKeyIsDescribedAsFree() {
		StoredLockDetails details = value(store().inspect(this.key));
		assertThat(details.lock()).isEqualTo(new StoredLock(this.key, List.of(), false, null, null));
		assertThat(details.queue()).isEmpty();
	}

	@Test
	void allHeldKeysAreOnThePages() {
		Map<String, String> owners = new TreeMap<>();
		for (int i = 0; i < 250; i++) {
			Acquire command = new Acquire(this.key + ":" + i, this.a.id, this.a.newOwnerId(), LONG, false, TOKENS);
			value(store().acquire(command));
			owners.put(command.key(), command.ownerId());
		}
		Map<String, String> found = new TreeMap<>();
		String cursor = null;
		int pages = 0;
		do {
			StoredLocks page = value(store().scan(cursor, 20));
			page.locks()
				.stream()
				.filter((lock) -> lock.key().startsWith(this.key))
				.forEach((lock) -> found.put(lock.key(), lock.ownerIds().get(0)));
			cursor = page.next();
			pages++;
		}
		while (cursor != null);
		assertThat(found).isEqualTo(owners);
		assertThat(pages).isGreaterThan(1);
	}

	@Test
	void keysAreListedByWhatTheyBeginWith() {
		for (String end : List.of("*:1", "*:2", "x:1", "")) {
			value(store().acquire(new Acquire(this.key + end, this.a.id, this.a.newOwnerId(), LONG, false, TOKENS)));
		}
		List<String> found = new ArrayList<>();
		String cursor = null;
		do {
			StoredLocks page = value(store().scan(this.key + "*", cursor, 100));
			page.locks().forEach((lock) -> found.add(lock.key()));
			cursor = page.next();
		}
		while (cursor != null);
		assertThat(found).contains(this.key + "*:1", this.key + "*:2")
			.allMatch((candidate) -> candidate.startsWith(this.key + "*"));
	}

	@Test
	void allPartsServeTheCheckOfTheHealth() {
		DefaultLockRegistry registry = new DefaultLockRegistry("health-" + this.run, store(),
				RegistrySettings.defaults(), List.of(), List.of(), platform());
		assertThat(value(registry.checkStore())).returns(StoreStatus.State.ANSWERING, StoreStatus::state);
		for (int part = 0; part < store().partitions(); part++) {
			assertThat(store().partition(this.key + part)).isBetween(0, store().partitions() - 1);
		}
		assertThat(value(store().scan(null, 1000)).locks()).extracting(StoredLock::key)
			.noneMatch((candidate) -> candidate.startsWith(StoreHealth.KEYS + registry.instanceId()));
		registry.stop();
	}

	private List<StoredLock> listAll() {
		List<StoredLock> found = new ArrayList<>();
		String cursor = null;
		do {
			StoredLocks page = value(store().scan(this.key, cursor, 100));
			found.addAll(page.locks());
			cursor = page.next();
		}
		while (cursor != null);
		return found;
	}

	/**
	 * Return whether an instance that listens is told by all of the store.
	 */
	protected boolean isHeard(String instance) {
		return true;
	}

	/**
	 * Return whether a release grants the key to the next instance.
	 */
	protected boolean grants() {
		return !store().grantTerm().isZero();
	}

	private void listenAll() {
		List.of(this.a, this.b, this.c, this.d).forEach(Instance::listen);
	}

	private void handOver(Instance from, Instance to) {
		String owner = from.take();
		to.findBusy(true);
		assertThat(from.release(owner)).isTrue();
	}

	/**
	 * Release the key by owner ids that do not hold it, which has no effect as long as
	 * somebody does.
	 */
	private void releaseInVainUntil(BooleanSupplier condition) {
		until(() -> {
			assertThat(this.d.release(this.d.newOwnerId())).isFalse();
			return condition.getAsBoolean();
		});
	}

	private void assertQuiet(Instance... instances) {
		pass(QUIET);
		assertThat(instances).allSatisfy((instance) -> assertThat(instance.signals).isEmpty());
	}

	private void until(BooleanSupplier condition) {
		long begin = platform().nanoTime();
		while (!condition.getAsBoolean()) {
			assertThat(Duration.ofNanos(platform().nanoTime() - begin)).as("soon").isLessThan(PATIENCE);
			pass(PAUSE);
		}
	}

	private void pass(Duration time) {
		assertThat(isDoneWithin(time, new CompletableFuture<>())).isFalse();
	}

	private boolean isDoneWithin(Duration time, CompletableFuture<?> future) {
		try {
			return await(future, time);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Renew renewal(Acquire command, Duration ttl) {
		return new Renew(command.key(), command.ownerId(), ttl);
	}

	private <T> T value(CompletableFuture<T> reply) {
		return within(PATIENCE, reply);
	}

	private <T> T within(Duration time, CompletableFuture<T> reply) {
		assertThat(isDoneWithin(time, reply)).as("answered").isTrue();
		return reply.join();
	}

	/**
	 * One contender for the key of the test.
	 */
	private final class Instance implements Signals {

		private final String id;

		private final AtomicLong sequence = new AtomicLong();

		private final Queue<String> signals = new ConcurrentLinkedQueue<>();

		private volatile boolean listening;

		private volatile @Nullable Runnable onReserved;

		private volatile @Nullable String granted;

		private volatile @Nullable Acquired grant;

		Instance(String name) {
			this.id = name + "-" + LockStoreContract.this.run;
		}

		void listen() {
			store().listen(this.id, this);
			until(() -> this.listening && isHeard(this.id));
		}

		String newOwnerId() {
			return this.id + ":" + this.sequence.incrementAndGet();
		}

		Acquire command(Duration ttl, boolean enqueue) {
			return new Acquire(LockStoreContract.this.key, this.id, newOwnerId(), ttl, enqueue, TOKENS);
		}

		AcquireReply acquire(Duration ttl, boolean enqueue) {
			return value(store().acquire(command(ttl, enqueue)));
		}

		Acquire sharing(Duration ttl, boolean enqueue) {
			return new Acquire(LockStoreContract.this.key, this.id, newOwnerId(), ttl, enqueue, 1, true,
					LockMode.SHARED);
		}

		Acquired share(Duration ttl) {
			AcquireReply reply = value(store().acquire(sharing(ttl, false)));
			assertThat(reply).isInstanceOf(Acquired.class);
			return (Acquired) reply;
		}

		Busy shareBusy(boolean enqueue) {
			AcquireReply reply = value(store().acquire(sharing(LONG, enqueue)));
			assertThat(reply).isInstanceOf(Busy.class);
			return (Busy) reply;
		}

		String take() {
			return take(LONG);
		}

		String take(Duration ttl) {
			Acquire command = command(ttl, false);
			assertThat(value(store().acquire(command))).isInstanceOf(Acquired.class);
			return command.ownerId();
		}

		String takeReserved() {
			until(() -> this.signals.contains("reserved"));
			return take();
		}

		Acquired awaitTaken() {
			AtomicReference<AcquireReply> reply = new AtomicReference<>();
			until(() -> {
				reply.set(acquire(LONG, false));
				return reply.get() instanceof Acquired;
			});
			return (Acquired) reply.get();
		}

		/**
		 * Wait in the queue for a grant.
		 */
		Busy awaitGrant() {
			AcquireReply reply = value(store().acquire(new Acquire(LockStoreContract.this.key, this.id, newOwnerId(),
					LONG, Queueing.GRANTED, TOKENS, false, LockMode.EXCLUSIVE)));
			assertThat(reply).isInstanceOf(Busy.class);
			return (Busy) reply;
		}

		Busy findBusy(boolean enqueue) {
			AcquireReply reply = acquire(LONG, enqueue);
			assertThat(reply).isInstanceOf(Busy.class);
			return (Busy) reply;
		}

		boolean release(String ownerId) {
			return value(store().release(releaseOf(ownerId, false)));
		}

		Release releaseOf(String ownerId, boolean requeue) {
			return new Release(LockStoreContract.this.key, this.id, ownerId, requeue);
		}

		boolean renew(String ownerId, Duration ttl) {
			return value(store().renew(List.of(new Renew(LockStoreContract.this.key, ownerId, ttl)))).get(0);
		}

		void awaitSignals(String... expected) {
			Collection<String> wanted = different(List.of(expected));
			until(() -> different(this.signals).size() >= wanted.size());
			assertThat(different(this.signals)).containsExactlyElementsOf(wanted);
		}

		// The same signal may come again.
		private Collection<String> different(Collection<String> all) {
			return tellsOnce() ? all : new LinkedHashSet<>(all);
		}

		@Override
		public void reserved(String key) {
			record("reserved", key);
			Runnable action = this.onReserved;
			if (action != null) {
				action.run();
			}
		}

		@Override
		public void granted(String key, String ownerId, Acquired tokens) {
			record("granted", key);
			this.granted = ownerId;
			this.grant = tokens;
		}

		@Override
		public void contended(String key) {
			record("contended", key);
		}

		@Override
		public void forced(String key, String ownerId) {
			record("forced " + ownerId, key);
		}

		@Override
		public void listening(boolean active) {
			this.listening = active;
		}

		private void record(String signal, String key) {
			this.signals.add(key.equals(LockStoreContract.this.key) ? signal : signal + " " + key);
		}

	}

}
