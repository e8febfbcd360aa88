// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.lockstarter.LossCause;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class StateChecksTest {

	private static final String OWNER = "one:1";

	private long now = World.MILLI;

	private final PlantedServers servers = new PlantedServers();

	private final PlantedClock one = new PlantedClock(() -> this.now);

	private final Checks checks = new Checks(() -> this.now);

	private final StateChecks states = new StateChecks(() -> this.now, this.checks, this.servers);

	private final PlantedLease lease = new PlantedLease(OWNER, 10);

	@BeforeEach
	void begin() {
		this.servers.has(FREE);
		this.states.step();
	}

	@Test
	void leaseThatTheServerHasForLongerByTheMarginIsRight() {
		this.servers.has(held(enough()));
		this.checks.granted("one", this.one, this.lease);
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseThatLastsTooLongIsFound() {
		this.servers.has(held(enough() - 1));
		this.checks.granted("one", this.one, this.lease);
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void actionThatRunsTwiceOrIsToldAnotherCauseIsFound() {
		this.states.acted(this.lease.lost(LossCause.EXPIRED), LossCause.EXPIRED);
		assertThat(rules()).isEmpty();
		this.states.acted(this.lease, LossCause.EXPIRED);
		assertThat(rules()).containsExactly(Rule.LOSS_TOLD_TWICE);
		this.states.acted(new PlantedLease("one:2", 20).lost(LossCause.TAKEN), LossCause.FORCED);
		assertThat(rules()).containsExactly(Rule.LOSS_TOLD_TWICE, Rule.MISTOLD);
	}

	@Test
	void lockOfOneWhoWasToldThatNothingWasDoneIsFound() {
		this.checks.hadNoEffect("k", OWNER);
		assertThat(rules()).isEmpty();
		this.servers.has(held(enough()));
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void lockOfBeforeIsRightWhereAServerBeginsWithIt() {
		this.checks.hadNoEffect("k", OWNER);
		this.servers.has(FREE);
		assertThat(rules()).isEmpty();
		LockState begunWith = new LockState("s", "replica", true, 1, false, Map.of(OWNER, enough()), Set.of());
		this.servers.has(begunWith);
		assertThat(rules()).isEmpty();
		this.now += World.MILLI;
		assertThat(rules()).isEmpty();
		this.servers.has(new LockState("s", "replica", true, 1, false, Map.of(), Set.of()));
		assertThat(rules()).isEmpty();
		this.servers.has(begunWith);
		assertThat(rules()).containsExactly(Rule.MISTOLD);
	}

	@Test
	void leaseThatLastsTooLongByTheClockOfItsHolderIsFound() {
		this.servers.has(held(enough()));
		this.one.behind = 1;
		this.checks.granted("one", this.one, this.lease);
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void leaseThatLastsTooLongByTheClockOfTheServerIsFound() {
		this.checks.granted("one", this.one, this.lease);
		this.servers.has(new LockState("s", "", true, 1.004, false, Map.of(OWNER, enough()), Set.of()));
		assertThat(rules()).isEmpty();
		this.servers.has(new LockState("s", "", true, 0.996, false, Map.of(OWNER, enough()), Set.of()));
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void leaseThatIsNotRenewedLongBeforeItsEndIsFound() {
		this.servers.has(held(World.SECOND));
		this.lease.ttl = 400 * World.MILLI;
		this.lease.deadline = 390 * World.MILLI;
		this.servers.calm = true;
		this.checks.granted("one", this.one, this.lease);
		this.states.delivered(this.lease, this.lease.ttl, this.lease.ttl, Long.MAX_VALUE);
		this.now = 200 * World.MILLI;
		assertThat(rules()).isEmpty();
		this.now = 240 * World.MILLI;
		this.servers.calm = false;
		assertThat(rules()).isEmpty();
		this.servers.calm = true;
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void leaseThatIsExtendedOrNotRenewedMayComeToItsEnd() {
		this.servers.has(held(World.SECOND));
		this.servers.calm = true;
		this.lease.deadline = 390 * World.MILLI;
		this.checks.granted("one", this.one, this.lease);
		this.states.delivered(this.lease, this.lease.deadline, this.lease.deadline, Long.MAX_VALUE);
		this.states.extended(this.lease);
		this.now = 300 * World.MILLI;
		assertThat(rules()).isEmpty();
		this.states.delivered(this.lease, this.lease.deadline, this.lease.deadline, Long.MAX_VALUE);
		this.lease.renewed = false;
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseThatTheServerHasForAnotherOwnerIsFound() {
		this.servers.has(state(Map.of("two:1", World.SECOND), false));
		this.checks.granted("one", this.one, this.lease);
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void leaseOfOneWhoIsAloneAndWhomTheServerLetsShareIsFound() {
		this.servers.has(state(Map.of(OWNER, World.SECOND), true));
		this.lease.shared = true;
		this.checks.granted("one", this.one, this.lease);
		assertThat(rules()).isEmpty();
		this.lease.active = false;
		this.checks.step();
		PlantedLease alone = new PlantedLease(OWNER, 11);
		this.checks.granted("one", this.one, alone);
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void leaseThatIsSharedAndThatTheServerHasForOneAloneIsFound() {
		this.servers.has(held(World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.checks.shares(this.lease);
		Call call = new Call("share", "a0", this.one, List.of("k"), this.now, Long.MAX_VALUE, 0);
		this.checks.begun(call);
		assertThat(rules()).isEmpty();
		this.checks.ended(call);
		this.servers.has(state(Map.of(OWNER, World.SECOND), true));
		assertThat(rules()).isEmpty();
		this.servers.has(held(World.SECOND));
		this.checks.mayNotShare(this.lease);
		assertThat(rules()).isEmpty();
		this.checks.shares(this.lease);
		PlantedLease other = new PlantedLease("one:2", 11);
		other.shared = true;
		this.lease.active = false;
		this.checks.step();
		this.servers.has(state(Map.of("one:2", World.SECOND), false));
		this.checks.granted("one", this.one, other);
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void serverThatBeganAnewMayHaveForgottenThatALeaseIsShared() {
		this.checks.granted("one", this.one, this.lease);
		this.checks.shares(this.lease);
		this.servers.has(state(Map.of(OWNER, World.SECOND), true));
		assertThat(rules()).isEmpty();
		this.servers.has(new LockState("s", "snapshot", true, 1, false, Map.of(OWNER, World.SECOND), Set.of()));
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseNeedsNoServerWhenItsDeadlineHasPassed() {
		this.servers.has(FREE);
		this.lease.deadline = 10 * World.MILLI;
		this.now = 10 * World.MILLI;
		this.checks.granted("one", this.one, this.lease);
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseOfABrokenAssumptionNeedsNoServerUntilItIsConfirmed() {
		this.servers.has(FREE);
		this.checks.granted("one", this.one, this.lease);
		this.checks.broken("k");
		assertThat(rules()).isEmpty();
		this.now = 2 * World.MILLI;
		this.lease.deadline = this.now + this.lease.ttl();
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void leaseNeedsMostServersOfAQuorumOrThatTheyGrantNothing() {
		this.servers.quorum = true;
		LockState held = held(enough());
		LockState abstains = new LockState("s", "", false, 1, false, Map.of(), Set.of());
		this.checks.granted("one", this.one, this.lease);
		this.servers.has(held, held, FREE);
		assertThat(rules()).isEmpty();
		this.servers.has(held, abstains, FREE);
		assertThat(rules()).isEmpty();
		this.servers.has(held, FREE, FREE);
		assertThat(rules()).containsExactly(Rule.UNPROTECTED);
	}

	@Test
	void lockThatNobodyHasAUseForIsFound() {
		this.servers.has(held(World.SECOND));
		assertFoundAfter(250 * World.MILLI, Rule.ORPHAN);
	}

	@ParameterizedTest
	@ValueSource(strings = { "one:g7", "one:7" })
	void lockThatNobodyHearsOfIsFoundOnceHeIsToldAgain(String ownerId) {
		this.servers.heardSince = Long.MAX_VALUE;
		this.servers.has(state(Map.of(ownerId, World.SECOND), false));
		assertThat(rules()).isEmpty();
		this.now += 300 * World.MILLI;
		assertThat(rules()).isEmpty();
		this.servers.heardSince = this.now;
		assertFoundAfter(250 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void lockThatAFaultLeftIsFoundIfItStaysForLong() {
		this.checks.disturbed("one", 100 * World.SECOND);
		this.checks.keptFromServers("one", 2 * World.SECOND);
		this.servers.has(held(100 * World.SECOND));
		assertThat(rules()).isEmpty();
		this.now = 2 * World.SECOND;
		assertFoundAfter(3500 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void lockThatAFaultLeftMayStayUntilTheServerIsReached() {
		this.checks.disturbed("one", 100 * World.SECOND);
		this.servers.reachedSince = Long.MAX_VALUE;
		this.servers.has(held(100 * World.SECOND));
		assertThat(rules()).isEmpty();
		this.now += 10 * World.SECOND;
		assertThat(rules()).isEmpty();
		this.servers.reachedSince = this.now;
		assertFoundAfter(3500 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void lockThatAServerOfAQuorumTookOnceMoreIsFoundIfItStaysForMoreThanATtl() {
		this.servers.quorum = true;
		this.checks.disturbed("one", this.now);
		this.now += 59 * World.SECOND;
		this.servers.has(held(100 * World.SECOND));
		assertFoundAfter(6250 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void lockThatAServerOfAQuorumTookForTheFirstTimeIsFoundSoon() {
		this.servers.quorum = true;
		this.checks.disturbed("one", this.now);
		this.now += 61 * World.SECOND;
		this.servers.has(held(100 * World.SECOND));
		assertFoundAfter(250 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void lockOfALeaseIsFoundWhenThatWasReleased() {
		this.servers.has(held(World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.now += 80 * World.MILLI;
		assertThat(rules()).isEmpty();
		this.lease.active = false;
		this.checks.step();
		assertFoundAfter(250 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void lockThatHasExpiredIsNone() {
		this.servers.has(held(10 * World.MILLI));
		assertThat(rules()).isEmpty();
		this.now = World.SECOND;
		assertThat(rules()).isEmpty();
	}

	@Test
	void lockThatSomebodyAsksForIsRight() {
		Call call = call("acquire", this.now);
		this.checks.begun(call);
		this.servers.has(held(World.SECOND));
		assertThat(rules()).isEmpty();
		this.now = 500 * World.MILLI;
		assertThat(rules()).isEmpty();
		this.checks.ended(call);
		assertFoundAfter(250 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void placeInTheQueueOfOneWhoDoesNotWaitIsFound() {
		this.servers.has(new LockState("s", "", true, 1, false, Map.of(), Set.of("one")));
		assertFoundAfter(250 * World.MILLI, Rule.LEFTOVER);
	}

	@Test
	void placesInTheQueuesOfAQuorumMayStay() {
		this.servers.quorum = true;
		this.servers.has(new LockState("s", "", true, 1, false, Map.of(), Set.of("one")));
		assertThat(rules()).isEmpty();
		this.now = World.SECOND;
		assertThat(rules()).isEmpty();
	}

	@Test
	void whatAServerBeginsWithIsNotFoundUntilItIsGone() {
		this.servers.has(new LockState("s", "a snapshot", true, 1, false, Map.of(OWNER, World.SECOND), Set.of()));
		assertThat(rules()).isEmpty();
		this.servers.has();
		assertThat(rules()).isEmpty();
		this.servers.has(new LockState("s", "a snapshot", true, 1, false, Map.of(OWNER, World.SECOND), Set.of()));
		assertThat(rules()).isEmpty();
		this.now = 500 * World.MILLI;
		assertThat(rules()).isEmpty();
		this.servers.has(new LockState("s", "a snapshot", true, 1, false, Map.of(), Set.of()));
		assertThat(rules()).isEmpty();
		this.servers.has(new LockState("s", "a snapshot", true, 1, false, Map.of(OWNER, World.SECOND), Set.of()));
		assertFoundAfter(250 * World.MILLI, Rule.ORPHAN);
	}

	@Test
	void whatAProcessLeavesThatDiedOrWasDisturbedIsNotFound() {
		this.servers.has(state(Map.of("dead:1", World.SECOND), false), held(World.SECOND));
		this.checks.disturbed("one", this.now);
		assertThat(rules()).isEmpty();
		this.now = 500 * World.MILLI;
		assertThat(rules()).isEmpty();
	}

	@Test
	void whatAServerHasOfALostLeaseIsNotFound() {
		this.checks.broken("k");
		this.checks.granted("one", this.one, this.lease);
		this.lease.lost(LossCause.TAKEN);
		this.checks.toldLost(this.lease, LossCause.TAKEN);
		this.checks.step();
		this.servers.has(held(World.SECOND));
		assertThat(rules()).isEmpty();
		this.now = 500 * World.MILLI;
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseThatHasEndedWhenItIsGrantedIsFound() {
		this.lease.deadline = this.now;
		this.states.granted(this.one, this.lease, false);
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void leaseOfAnotherTtlIsFound() {
		this.states.delivered(this.lease, 20, 20, Long.MAX_VALUE);
		assertThat(rules()).isEmpty();
		this.states.delivered(this.lease, 20, 10, Long.MAX_VALUE);
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void leaseThatGoesOnAlthoughItsProcessWasToldThatItWasTakenIsFound() {
		this.servers.has(held(World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.states.forced(new PlantedClock(() -> this.now), "k", OWNER, "s");
		this.states.forced(this.one, "k", "one:2", "s");
		this.states.forced(this.one, "another", OWNER, "s");
		this.now += 2 * Checks.SLACK;
		this.states.forced(this.one, "k", OWNER, "s");
		this.now += Checks.SLACK;
		assertThat(rules()).doesNotContain(Rule.LOSS_NOT_TOLD);
		this.now++;
		assertThat(rules()).contains(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void leaseThatEndsAsItsProcessIsToldThatItWasTakenIsRight() {
		this.servers.has(held(World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.states.forced(this.one, "k", OWNER, "s");
		this.lease.active = false;
		this.now += 2 * Checks.SLACK;
		assertThat(rules()).isEmpty();
	}

	@Test
	void leaseThatGoesOnAlthoughMostServersToldThatTheyTookItIsFound() {
		majorityHas("a", "b", "c");
		this.states.forced(this.one, "k", OWNER, "a");
		this.states.forced(this.one, "k", OWNER, "a");
		majorityHas("b", "c");
		this.now += 2 * Checks.SLACK;
		assertThat(rules()).doesNotContain(Rule.LOSS_NOT_TOLD);
		this.states.forced(this.one, "k", OWNER, "b");
		majorityHas("c");
		this.now += Checks.SLACK;
		assertThat(rules()).doesNotContain(Rule.LOSS_NOT_TOLD);
		this.now++;
		assertThat(rules()).contains(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void leaseMayGoOnThatAServerHasAgainBeforeAnotherTookIt() {
		majorityHas("b", "c");
		this.states.forced(this.one, "k", OWNER, "a");
		assertThat(rules()).isEmpty();
		majorityHas("a", "b", "c");
		assertThat(rules()).isEmpty();
		majorityHas("a", "c");
		this.states.forced(this.one, "k", OWNER, "b");
		this.now += 2 * Checks.SLACK;
		assertThat(rules()).isEmpty();
	}

	private void majorityHas(String... names) {
		this.servers.quorum = true;
		Map<String, Long> held = Map.of(OWNER, World.SECOND);
		this.servers.has(Stream.of("a", "b", "c")
			.map((name) -> new LockState(name, "", true, 1, false, List.of(names).contains(name) ? held : Map.of(),
					Set.of()))
			.toArray(LockState[]::new));
		if (this.checks.open("k") == null) {
			this.checks.granted("one", this.one, this.lease);
		}
	}

	/**
	 * For its ttl if it is not renewed, for half of it if it is, and for half of what a
	 * release elsewhere gave at first.
	 */
	@ParameterizedTest
	@CsvSource({ "100, 0, 97000", "100, 1000, 47500", "2000, 1000, 1978000", "2000, 3000, 196000" })
	void leaseThatIsPassedOnAndDoesNotLastIsFound(long ttl, long renewed, long least) {
		this.servers.has(held(5 * World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.lease.deadline = this.now + least * World.MICRO;
		this.states.granted(this.one, this.lease, true);
		this.states.delivered(this.lease, ttl * World.MILLI, ttl * World.MILLI, renewed * World.MILLI);
		assertThat(rules()).isEmpty();
		this.lease.deadline--;
		this.states.granted(this.one, this.lease, true);
		this.states.delivered(this.lease, ttl * World.MILLI, ttl * World.MILLI, renewed * World.MILLI);
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void leaseThatIsRenewedForLongerThanIsWantedIsFound() {
		this.servers.has(held(World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.states.delivered(this.lease, 20 * World.MILLI, 20 * World.MILLI, 0);
		this.lease.deadline = this.now + 20 * World.MILLI + Checks.SLACK;
		assertThat(rules()).isEmpty();
		this.lease.deadline++;
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void leaseIsRenewedForAsLongAsIsWantedByTheClockOfItsHolder() {
		this.servers.has(held(2 * World.SECOND));
		this.one.behind = World.SECOND;
		this.checks.granted("one", this.one, this.lease);
		this.states.delivered(this.lease, 20 * World.MILLI, 20 * World.MILLI, 0);
		this.lease.deadline = this.one.nanoTime() + 20 * World.MILLI + Checks.SLACK;
		assertThat(rules()).isEmpty();
		this.lease.deadline++;
		assertThat(rules()).containsExactly(Rule.TERMS);
	}

	@Test
	void leaseThatIsExtendedMayBeHeldForLonger() {
		this.servers.has(held(2 * World.SECOND));
		this.checks.granted("one", this.one, this.lease);
		this.states.delivered(this.lease, 20 * World.MILLI, 20 * World.MILLI, 0);
		this.states.extended(this.lease);
		this.lease.deadline = World.SECOND;
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossThatIsToldTwiceIsFound() {
		this.states.toldLost(this.lease);
		assertThat(rules()).isEmpty();
		this.states.toldLost(this.lease);
		assertThat(rules()).containsExactly(Rule.LOSS_TOLD_TWICE);
	}

	@Test
	void whoIsPassedInHisProcessIsFound() {
		Call early = call("acquire", this.now);
		this.checks.begun(early);
		this.states.served(call("acquire", this.now + 1));
		assertFoundAfter(Checks.SLACK, Rule.OVERTAKEN);
	}

	@Test
	void whoIsToldSomethingAtTheSameTimeIsNotPassed() {
		Call early = call("acquire", this.now);
		this.checks.begun(early);
		this.states.served(call("acquire", this.now + 1));
		this.checks.ended(early);
		this.now = World.SECOND;
		assertThat(rules()).isEmpty();
	}

	@Test
	void whoSharesOrComesFirstOrFromElsewherePassesNobody() {
		Call open = call("acquire", this.now);
		this.checks.begun(open);
		Call shared = call("acquire", this.now + 1);
		shared.shared = true;
		this.states.served(shared);
		this.states.served(call("acquire", this.now - 1));
		this.states.served(new Call("acquire", "b", new PlantedClock(() -> this.now), List.of("k"), this.now + 1,
				World.SECOND, 0));
		this.now = World.SECOND;
		assertThat(rules()).isEmpty();
	}

	private static final LockState FREE = new LockState("s", "", true, 1, false, Map.of(), Set.of());

	/**
	 * Return up to when the server has to have the lease: what is counted of that ends
	 * with the deadline.
	 */
	private long enough() {
		long left = this.lease.deadline - this.now + World.MILLI;
		return this.now + (left * 100 + 98) / 99;
	}

	private static LockState held(long until) {
		return state(Map.of(OWNER, until), false);
	}

	private static LockState state(Map<String, Long> holders, boolean shared) {
		return new LockState("s", "", true, 1, shared, holders, Set.of());
	}

	private Call call(String what, long since) {
		return new Call(what, "a", this.one, List.of("k"), since, 10 * World.SECOND, 0);
	}

	private void assertFoundAfter(long nanos, Rule rule) {
		assertThat(rules()).isEmpty();
		this.now += nanos;
		assertThat(rules()).isEmpty();
		this.now++;
		assertThat(rules()).containsExactly(rule);
	}

	private List<Rule> rules() {
		this.states.step();
		return this.checks.violations().stream().map(Violation::rule).toList();
	}

	private final class PlantedServers implements StateChecks.Servers {

		private boolean calm;

		private VoteChecks.@Nullable Votes votes;

		@Override
		public boolean isCalm(Clock clock, long since) {
			return this.calm;
		}

		@Override
		public VoteChecks.@Nullable Votes votes(Grant grant) {
			return this.votes;
		}

		private final List<LockState> states = new ArrayList<>();

		private boolean quorum;

		private long heardSince = Long.MIN_VALUE;

		private long reachedSince = Long.MIN_VALUE;

		void has(LockState... states) {
			this.states.clear();
			this.states.addAll(List.of(states));
		}

		@Override
		public List<String> keys() {
			return List.of("k");
		}

		@Override
		public List<LockState> states(String key) {
			return this.states;
		}

		@Override
		public long maxTtl() {
			return 6 * World.SECOND;
		}

		@Override
		public long heardSince() {
			return this.heardSince;
		}

		@Override
		public long reachedSince() {
			return this.reachedSince;
		}

		@Override
		public boolean isQuorum() {
			return this.quorum;
		}

		@Override
		public int majority() {
			return this.quorum ? 2 : 1;
		}

		@Override
		public @Nullable Clock process(String instance) {
			return instance.equals("one") ? StateChecksTest.this.one : null;
		}

	}

}
