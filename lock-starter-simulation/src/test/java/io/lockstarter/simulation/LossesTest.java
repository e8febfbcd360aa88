// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.Set;

import io.lockstarter.LossCause;
import io.lockstarter.simulation.Violation.Rule;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What servers lost has to be told: planted breaches are found, and what is next to them
 * is none.
 */
class LossesTest {

	private static final Holders NOBODY = Holders.NONE;

	private static final Holders OTHER = new Holders("other:1", Set.of());

	private static final Holders ONE = new Holders("one:1", Set.of());

	private long now = World.MILLI;

	private final Checks checks = new Checks(() -> this.now);

	private final PlantedClock one = new PlantedClock(() -> this.now);

	private final PlantedLease lease = new PlantedLease("one:1", 10);

	@BeforeEach
	void hold() {
		this.lease.ttl = 3 * World.SECOND;
		this.lease.deadline = this.lease.ttl;
		this.checks.granted("one", this.one, this.lease);
	}

	@Test
	void lossThatNobodyIsToldIsFound() {
		lose();
		pass(1200 * World.MILLI);
		assertThat(rules()).isEmpty();
		pass(100 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void lossThatIsToldIsRight() {
		lose();
		this.lease.lost(LossCause.TAKEN);
		this.checks.toldLost(this.lease, LossCause.TAKEN);
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossOfALeaseThatIsNotRenewedIsToldAtItsDeadline() {
		this.lease.renewed = false;
		lose();
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossMayBeToldLateIfAFaultMetTheProcess() {
		lose();
		this.checks.disturbed("one", this.now);
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void lossIsToldByTheReleaseOfAHolder() {
		lose();
		this.lease.active = false;
		pass(200 * World.MILLI);
		assertThat(rules()).isEmpty();
		pass(100 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void lossNeedNotBeToldIfNobodyKnowsWhatBecameOfTheRelease() {
		lose();
		this.lease.active = false;
		pass(100 * World.MILLI);
		this.checks.losses().unconfirmed("k", "one:1");
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whoHasReleasedBeforeNeedNotBeTold() {
		this.lease.active = false;
		this.checks.step();
		lose();
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void processThatDiedIsToldNothing() {
		lose();
		this.checks.gone(this.one);
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void whatIsHandedOnInAProcessIsLostToo() {
		lose();
		this.lease.active = false;
		PlantedLease next = new PlantedLease("one:1", 11);
		next.deadline = 3 * World.SECOND;
		this.checks.granted("one", this.one, next);
		pass(250 * World.MILLI);
		next.active = false;
		pass(200 * World.MILLI);
		assertThat(rules()).isEmpty();
		pass(100 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void lossOfWhatComesBackIsToldIfAnotherOneHadItInBetween() {
		lose();
		seen(NOBODY, OTHER, "other:1");
		seen(OTHER, NOBODY, "other:1");
		this.lease.active = false;
		seen(NOBODY, ONE, "one:1");
		PlantedLease next = new PlantedLease("one:1", 30);
		next.deadline = 3 * World.SECOND;
		this.checks.granted("one", this.one, next);
		this.checks.step();
		pass(400 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void lossOfWhatComesBackNeedNotBeToldIfNobodyHadItInBetween() {
		lose();
		this.lease.active = false;
		seen(NOBODY, ONE, "one:1");
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void acquisitionWhoseReplyIsUnderWayIsLostByWhoHearsOfItLater() {
		this.checks.lost("k", "one:2", false, false);
		PlantedLease late = new PlantedLease("one:2", 20);
		late.deadline = 3 * World.SECOND;
		this.lease.active = false;
		this.checks.step();
		this.checks.granted("one", this.one, late);
		pass(400 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void acquisitionThatIsRepeatedAfterwardsIsAnotherOne() {
		this.checks.lost("k", "one:2", false, false);
		seen(NOBODY, OTHER, "other:1");
		seen(NOBODY, new Holders("one:2", Set.of()), "one:2");
		PlantedLease late = new PlantedLease("one:2", 20);
		late.deadline = 3 * World.SECOND;
		this.lease.active = false;
		this.checks.step();
		this.checks.granted("one", this.one, late);
		pass(400 * World.MILLI);
		assertThat(rules()).isEmpty();
	}

	@Test
	void renewalBesideAReaderIsRightOnceTheHolderSharesTheKeyHimself() {
		this.checks.broken("k");
		this.checks.lost("k", "one:1", false, true);
		this.checks.shares(this.lease);
		seen(NOBODY, new Holders(null, Set.of("one:1", "reader:1")), "reader:1");
		this.now += 10 * World.MILLI;
		this.lease.deadline = this.now + this.lease.ttl();
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void renewalAfterAnotherOneHadTheKeyIsFound() {
		this.lease.shared = true;
		lose();
		seen(NOBODY, OTHER, "other:1");
		this.now += 10 * World.MILLI;
		this.lease.deadline = this.now + this.lease.ttl();
		this.checks.step();
		assertThat(rules()).containsExactly(Rule.REVIVED);
	}

	@Test
	void renewalThatWasSentBeforeMayBeAnsweredAfterwards() {
		lose();
		long sentAt = this.now;
		this.now += 10 * World.MILLI;
		seen(NOBODY, OTHER, "other:1");
		this.lease.deadline = sentAt + this.lease.ttl();
		this.checks.step();
		assertThat(rules()).isEmpty();
	}

	@Test
	void renewalOfOneOfManyIsRightIfOnlyOthersShareTheKeyMeanwhile() {
		this.checks.lost("k", "one:1", true, false);
		seen(NOBODY, new Holders(null, Set.of("other:1")), "other:1");
		this.now += 10 * World.MILLI;
		this.lease.deadline = this.now + this.lease.ttl();
		this.checks.step();
		assertThat(rules()).isEmpty();
	}

	@Test
	void whatAServerHasAgainByAnotherFaultIsNoLoss() {
		lose();
		seen(NOBODY, OTHER, "other:1");
		this.checks.losses().restored("k"::equals);
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void voteIsNoLossUntilAnotherOneHasTheKey() {
		this.checks.lost("k", "one:1", false, true);
		pass(World.SECOND);
		assertThat(rules()).isEmpty();
		seen(ONE, OTHER, "other:1");
		pass(1400 * World.MILLI);
		assertThat(rules()).containsExactly(Rule.LOSS_NOT_TOLD);
	}

	@Test
	void voteThatIsLostByWhoReleasesInTimeIsNoLoss() {
		this.checks.lost("k", "one:1", false, true);
		this.lease.active = false;
		pass(World.MILLI);
		seen(NOBODY, OTHER, "other:1");
		pass(2 * World.SECOND);
		assertThat(rules()).isEmpty();
	}

	@Test
	void mostOfTheVotersCount() {
		Holders reads = new Holders(null, Set.of("a:1", "b:1"));
		assertThat(Holders.most(List.of(ONE, ONE, OTHER))).isEqualTo(ONE);
		assertThat(Holders.most(List.of(ONE, OTHER, NOBODY))).isEqualTo(NOBODY);
		assertThat(Holders.most(List.of(reads, reads, new Holders(null, Set.of("c:1"))))).isEqualTo(reads);
	}

	private void lose() {
		this.checks.broken("k");
		this.checks.lost("k", "one:1", this.lease.shared, false);
	}

	private void seen(Holders before, Holders after, String mentioned) {
		this.checks.losses().seen("k", before, after, mentioned::equals);
	}

	private void pass(long time) {
		for (long end = this.now + time; this.now < end;) {
			this.now += World.MILLI;
			this.checks.step();
		}
	}

	private List<Rule> rules() {
		return this.checks.violations().stream().map(Violation::rule).toList();
	}

}
