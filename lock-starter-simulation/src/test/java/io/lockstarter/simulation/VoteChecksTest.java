// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lockstarter.simulation.Violation.Rule;
import io.lockstarter.simulation.VoteChecks.Votes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class VoteChecksTest {

	private static final String OWNER = "one:1";

	private static final LockState HELD = new LockState("s", "", true, 1, false, Map.of(OWNER, Long.MAX_VALUE),
			Set.of());

	private static final LockState SHARED = new LockState("s", "", true, 1, true, Map.of(OWNER, Long.MAX_VALUE),
			Set.of());

	private static final LockState FREE = new LockState("s", "", true, 1, false, Map.of(), Set.of());

	private static final LockState ABSTAINS = new LockState("s", "", false, 1, false, Map.of(), Set.of());

	private static final LockState TAKEN = new LockState("s", "", true, 1, false, Map.of("two:1", Long.MAX_VALUE),
			Set.of());

	private long now = World.MILLI;

	private final PlantedClock clock = new PlantedClock(() -> this.now);

	private final Checks checks = new Checks(() -> this.now);

	private final VoteChecks votes = new VoteChecks(() -> this.now, this.checks);

	private final PlantedLease lease = new PlantedLease(OWNER, 10);

	private final Grant grant = new Grant("one", this.clock, this.lease, World.MILLI);

	@Test
	void whatIsKnownAsItIsIsRight() {
		assertThat(after(World.SECOND, votes(0b111, 0b111, 0), HELD, HELD, HELD)).isEmpty();
	}

	@Test
	void serverThatAbstainsOrGaveItsVoteToOthersNeedNotHaveIt() {
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, ABSTAINS)).isEmpty();
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, TAKEN)).isEmpty();
	}

	@Test
	void leaseOfWhichNothingIsKnownIsFound() {
		assertThat(after(World.SECOND, null, HELD, HELD, HELD)).containsExactly(Rule.VOTES);
	}

	@Test
	void voteThatIsNotKnownIsFound() {
		assertThat(after(50 * World.MILLI, votes(0b011, 0b011, 0), HELD, HELD, HELD)).isEmpty();
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, HELD)).containsExactly(Rule.VOTES);
	}

	@Test
	void voteThatIsBelievedIsFound() {
		assertThat(after(50 * World.MILLI, votes(0b111, 0b011, 0), HELD, HELD, TAKEN)).isEmpty();
		assertThat(after(World.SECOND, votes(0b111, 0b011, 0), HELD, HELD, TAKEN)).containsExactly(Rule.VOTES);
	}

	@Test
	void voteThatCountsWithoutBeingThereIsFound() {
		assertThat(after(World.SECOND, votes(0b011, 0b111, 0), HELD, HELD, TAKEN)).containsExactly(Rule.VOTES);
	}

	@Test
	void voteThatNeverCountsIsFound() {
		assertThat(after(World.SECOND, votes(0b111, 0b011, 0), HELD, HELD, HELD)).containsExactly(Rule.VOTES);
	}

	@Test
	void voteThatIsNotAskedForAgainIsFound() {
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, FREE)).containsExactly(Rule.VOTES);
	}

	@Test
	void serverThatHasTheLockForNobodyIsExcused() {
		LockState kept = new LockState("s", "", true, 1, false, Map.of(), Set.of(), true);
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, kept)).isEmpty();
	}

	@Test
	void serverThatTakesNoLocksIsExcused() {
		this.votes.refuses(5 * World.SECOND);
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, FREE)).isEmpty();
	}

	@Test
	void serverThatLostItsMemoryAndGrantsSomethingIsFound() {
		this.votes.emptied("s", this.now + World.SECOND);
		this.votes.look("k", FREE);
		assertThat(this.checks.violations()).isEmpty();
		this.votes.look("k", HELD);
		assertThat(this.checks.violations()).extracting(Violation::rule).containsExactly(Rule.UNPROTECTED);
		this.votes.maybeGrants("s");
		this.votes.look("k", HELD);
		assertThat(this.checks.violations()).hasSize(1);
		this.votes.emptied("s", this.now + World.SECOND);
		this.votes.maybeGrants("s");
		this.votes.look("k", HELD);
		assertThat(this.checks.violations()).as("what it had before").hasSize(1);
		this.votes.emptied("s", this.now);
		this.votes.look("k", HELD);
		assertThat(this.checks.violations()).as("when it has waited").hasSize(1);
	}

	@Test
	void serverThatIsNotToldThatALockIsSharedIsFound() {
		this.grant.shared = true;
		assertThat(after(World.SECOND, votes(0b111, 0b111, 0), SHARED, SHARED, SHARED)).isEmpty();
		assertThat(after(World.SECOND, votes(0b111, 0b111, 0), SHARED, SHARED, HELD)).containsExactly(Rule.VOTES);
	}

	@Test
	void serverThatSharesALockAndIsNotKnownToIsFound() {
		this.grant.shared = true;
		assertThat(after(50 * World.MILLI, votes(0b111, 0b111, 0b100), SHARED, SHARED, SHARED)).isEmpty();
		assertThat(after(World.SECOND, votes(0b111, 0b111, 0b100), SHARED, SHARED, SHARED)).containsExactly(Rule.VOTES);
	}

	@Test
	void faultOfTheProcessExcusesWhatItDoesNotKnow() {
		this.checks.disturbed("one", World.SECOND);
		assertThat(after(World.SECOND, votes(0b011, 0b011, 0), HELD, HELD, HELD)).isEmpty();
	}

	@Test
	void whatWasMendedInBetweenIsRight() {
		look(votes(0b011, 0b011, 0), HELD, HELD, HELD);
		this.now += 90 * World.MILLI;
		look(votes(0b111, 0b111, 0), HELD, HELD, HELD);
		assertThat(after(90 * World.MILLI, votes(0b011, 0b011, 0), HELD, HELD, HELD)).isEmpty();
	}

	@Test
	void lockThatIsNotKnownToBeSharedIsFound() {
		this.grant.shared = true;
		Votes votes = new Votes(0b111, 0b111, 0, false);
		assertThat(after(50 * World.MILLI, votes, SHARED, SHARED, SHARED)).isEmpty();
		assertThat(after(World.SECOND, votes, SHARED, SHARED, SHARED)).containsExactly(Rule.VOTES);
	}

	@Test
	void serverThatLostALockAndCountsAtOnceIsFound() {
		look(votes(0b111, 0b111, 0), HELD, HELD, HELD);
		look(votes(0b111, 0b111, 0), HELD, HELD, FREE);
		look(votes(0b111, 0b011, 0), HELD, HELD, HELD);
		assertThat(this.checks.violations()).isEmpty();
		look(votes(0b111, 0b111, 0), HELD, HELD, FREE);
		this.lease.deadline += World.SECOND;
		look(votes(0b111, 0b111, 0), HELD, HELD, HELD);
		assertThat(this.checks.violations()).isEmpty();
		look(votes(0b111, 0b111, 0), HELD, HELD, FREE);
		look(votes(0b111, 0b111, 0), HELD, HELD, HELD);
		assertThat(this.checks.violations()).extracting(Violation::rule).containsExactly(Rule.VOTES);
	}

	@Test
	void voteThatComesLateCounts() {
		look(votes(0b011, 0b011, 0), HELD, HELD, FREE);
		look(votes(0b111, 0b111, 0), HELD, HELD, HELD);
		assertThat(this.checks.violations()).isEmpty();
	}

	private Votes votes(int mine, int sure, int unshared) {
		return new Votes(mine, sure, unshared, this.grant.shared);
	}

	private List<Rule> after(long time, @Nullable Votes known, LockState... states) {
		look(known, states);
		this.now += time;
		look(known, states);
		return this.checks.violations().stream().map(Violation::rule).distinct().toList();
	}

	private void look(@Nullable Votes known, LockState... states) {
		this.votes.look(this.grant, known, List.of(states));
		this.votes.looked();
	}

}
