// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.simulation.Violation.Rule;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AskedTest {

	private static final String OWNER = "one:1";

	private static final Duration TTL = Duration.ofMillis(600);

	private long now = World.MILLI;

	private boolean calm = true;

	private final PlantedClock clock = new PlantedClock(() -> this.now);

	private final Checks checks = new Checks(() -> this.now);

	private final Asked asked = new Asked(() -> this.now, this.clock, this.checks, (since) -> this.calm, () -> {
	});

	private final PlantedLease lease = new PlantedLease(OWNER, 10);

	@Test
	void lockThatIsAcquiredRenewedAndGivenBackIsRight() {
		this.asked.acquires(acquire(Queueing.NONE));
		this.asked.answered(acquire(Queueing.NONE), new Acquired(10, 17, false));
		hold();
		for (int i = 0; i < 30; i++) {
			this.now += TTL.toNanos() / 6;
			this.asked.renews(List.of(renew()));
		}
		this.lease.active = false;
		this.asked.releases(release());
		this.asked.releases(release());
		assertThat(rules()).isEmpty();
	}

	@Test
	void moreOrFewerTokensThanWereAskedForAreFound() {
		this.asked.answered(acquire(Queueing.NONE), new Acquired(10, 18, false));
		this.asked.answered(acquire(Queueing.NONE), new Acquired(10, 16, false));
		assertThat(rules()).containsExactly(Rule.TERMS, Rule.TERMS);
	}

	@Test
	void acquisitionByAnOwnerIdOfALeaseIsFound() {
		hold();
		this.asked.acquires(acquire(Queueing.NONE));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockThatIsGivenBackWhileSomebodyHasItIsFound() {
		hold();
		this.asked.releases(release());
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockMayBeGivenBackJustBeforeItsHolderIsToldThatItIsLost() {
		hold();
		this.asked.releases(release());
		this.lease.active = false;
		assertThat(rules()).isEmpty();
	}

	@Test
	void lockThatIsKeptWithoutAHolderWhileSomebodyHasItIsFound() {
		hold();
		this.asked.keeps(renew());
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockThatIsGivenBackTimeAndAgainIsFound() {
		this.calm = false;
		for (int i = 0; i < 5; i++) {
			this.asked.releases(release());
		}
		assertThat(rules()).isEmpty();
		this.calm = true;
		this.asked.releases(release());
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockThatIsLeftToNobodyElseIsFound() {
		this.now = 10 * World.SECOND;
		Call other = new Call("acquire", "a0", new PlantedClock(() -> this.now), List.of("k"), this.now, Long.MAX_VALUE,
				0);
		this.checks.begun(other);
		this.asked.releases(new Release("k", "one", "one:1", true));
		this.checks.ended(other);
		this.now += World.SECOND;
		this.asked.releases(new Release("k", "one", "one:2", true));
		assertThat(rules()).isEmpty();
		this.now++;
		this.asked.releases(new Release("k", "one", "one:3", false));
		assertThat(rules()).isEmpty();
		this.asked.releases(new Release("k", "one", "one:4", true));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockMayBeLeftToOthersByAProcessThatStoodBehindItself() {
		this.now = 10 * World.SECOND;
		this.asked.answered(acquire(Queueing.GRANTED), busy("one:g5"));
		this.asked.releases(new Release("k", "one", "one:1", true));
		this.now += World.SECOND;
		this.asked.releases(new Release("k", "one", "one:2", true));
		assertThat(rules()).isEmpty();
		this.now++;
		this.asked.releases(new Release("k", "one", "one:3", true));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockThatIsLeftToNobodyElseIsFoundWhoeverWasAheadBefore() {
		this.now = 10 * World.SECOND;
		this.asked.answered(acquire(Queueing.NONE), busy("one:g5"));
		this.asked.answered(acquire(Queueing.GRANTED), busy("one2:g5"));
		this.asked.answered(acquire(Queueing.GRANTED), busy(null));
		this.asked.releases(new Release("k", "one", "one:1", true));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
		this.asked.answered(acquire(Queueing.GRANTED), busy("one:g5"));
		this.asked.releases(new Release("another", "one", "one:2", true));
		assertThat(rules()).containsExactly(Rule.NEEDLESS, Rule.NEEDLESS);
	}

	@Test
	void renewalForNobodyIsFound() {
		this.asked.renews(List.of(renew()));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void renewalForAHolderInAnotherProcessIsFound() {
		this.checks.granted("one", new PlantedClock(() -> this.now), this.lease);
		this.asked.renews(List.of(renew()));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void renewalsThatComeTooOftenAreFoundUnlessTheirHolderExtends() {
		hold();
		for (int i = 0; i < 3; i++) {
			this.asked.renews(List.of(renew()));
		}
		assertThat(rules()).isEmpty();
		this.asked.renews(List.of(renew()));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
		this.asked.extended("k", OWNER);
		this.asked.renews(List.of(renew()));
		assertThat(rules()).hasSize(1);
	}

	@Test
	void renewalWithoutAnAnswerForEachKeyIsFound() {
		this.asked.renewed(List.of(renew(), renew()), Arrays.asList(true, null));
		assertThat(rules()).isEmpty();
		this.asked.renewed(List.of(renew(), renew()), List.of(true));
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void placeInAQueueForThoseWhoDoNotWaitIsFound() {
		Call waits = call();
		Call tries = call();
		tries.triesOnce = true;
		this.checks.begun(tries);
		this.checks.begun(waits);
		this.asked.acquires(acquire(Queueing.GRANTED));
		assertThat(rules()).isEmpty();
		this.checks.ended(waits);
		this.asked.acquires(acquire(Queueing.NONE));
		assertThat(rules()).isEmpty();
		this.asked.acquires(acquire(Queueing.RESERVED));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void placeInAQueueForOneWhoGivesUpInTheSameMomentIsRight() {
		Call waits = call();
		Call tries = call();
		tries.triesOnce = true;
		this.checks.begun(tries);
		this.checks.begun(waits);
		this.asked.acquires(acquire(Queueing.RESERVED));
		this.checks.ended(waits);
		assertThat(rules()).isEmpty();
		this.checks.begun(waits);
		this.checks.ended(waits);
		this.asked.acquires(acquire(Queueing.RESERVED));
		assertThat(rules()).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void lockOfOneWhoIsToldThatNothingWasDoneIsFound() {
		this.asked.acquires(acquire(Queueing.NONE));
		this.asked.failed(acquire(Queueing.NONE), false, failure(false));
		this.checks.found("s", "k", OWNER);
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void lockIsRightOfOneWhoAsksAgainOrHadItOrDoesNotKnow() {
		this.asked.failed(acquire(Queueing.NONE), false, failure(true));
		this.checks.found("s", "k", OWNER);
		this.asked.failed(acquire(Queueing.NONE), false, failure(false));
		this.asked.acquires(acquire(Queueing.NONE));
		this.checks.found("s", "k", OWNER);
		this.checks.seenAtServer("k", OWNER);
		this.asked.failed(acquire(Queueing.NONE), this.asked.isSeen(acquire(Queueing.NONE)), failure(false));
		this.checks.found("s", "k", OWNER);
		assertThat(rules()).isEmpty();
	}

	@Test
	void grantWithMoreTokensThanWereAskedForIsFound() {
		this.asked.acquires(acquire(Queueing.GRANTED));
		this.asked.granted("k", new Acquired(10, 17, false));
		assertThat(rules()).isEmpty();
		this.asked.granted("k", new Acquired(10, 18, false));
		this.asked.granted("another", new Acquired(10, 10, false));
		assertThat(rules()).containsExactly(Rule.TERMS, Rule.TERMS);
	}

	@Test
	void grantMayHaveAsManyTokensAsAReleaseAskedFor() {
		this.calm = false;
		this.asked.releases(new Release("k", "one", "one:2", Queueing.GRANTED, 9, true));
		this.asked.granted("k", new Acquired(10, 18, false));
		assertThat(rules()).isEmpty();
	}

	@Test
	void commandWithoutAnAnswerIsFound() {
		assertThat(this.asked.judged("share", "k", CompletableFuture.completedFuture(true))).isCompleted();
		assertThat(rules()).isEmpty();
		assertThat(this.asked.judged("share", "k", null)).isNotDone();
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void failureThatDoesNotSayWhatFailedIsFound() {
		var unused = this.asked.judged("share", "k", CompletableFuture.failedFuture(failure(true)));
		assertThat(rules()).isEmpty();
		unused = this.asked.judged("share", "another", CompletableFuture.failedFuture(failure(true)));
		assertThat(rules()).containsExactly(Rule.EXCEPTION);
	}

	private static LockStoreException failure(boolean unknown) {
		return new LockStoreException("Cannot acquire k: no connection", unknown, null);
	}

	private void hold() {
		this.checks.granted("one", this.clock, this.lease);
	}

	private Call call() {
		return new Call("acquire", "a0", this.clock, List.of("k"), this.now, Long.MAX_VALUE, 0);
	}

	private static Acquire acquire(Queueing queueing) {
		return new Acquire("k", "one", OWNER, TTL, queueing, 8, false, LockMode.EXCLUSIVE);
	}

	private static Busy busy(@Nullable String holder) {
		return new Busy(holder, TTL, Duration.ZERO, 0);
	}

	private static Release release() {
		return new Release("k", "one", OWNER, false);
	}

	private static Renew renew() {
		return new Renew("k", OWNER, TTL);
	}

	private List<Rule> rules() {
		this.asked.step();
		return this.checks.violations().stream().map(Violation::rule).toList();
	}

}
