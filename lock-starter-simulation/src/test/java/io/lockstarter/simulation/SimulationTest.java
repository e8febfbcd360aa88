// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some hundred seeds of each topology; {@code simulate.sh} runs as many as anybody likes.
 */
@Tag("proof")
@Tag("computes")
@ExtendWith(Unlogged.class)
class SimulationTest {

	private static final int SEEDS = 100;

	/**
	 * Those that are run twice, and traced.
	 */
	private static final int TWICE = SEEDS / 8;

	@ParameterizedTest
	@EnumSource
	void nothingIsWrong(Topology topology) {
		List<String> wrong = LongStream.rangeClosed(TWICE + 1, 3 * SEEDS / 4)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology), false))
			.filter((run) -> !run.violations().isEmpty())
			.map((run) -> run.violations().get(0) + "\nsimulate.sh " + run.scenario().options())
			.toList();
		assertThat(wrong).isEmpty();
	}

	/**
	 * Signals that were looked for where the cluster had them no more, a minimum hold
	 * that was over and told as a loss, a vote that did not count as a renewal overtook
	 * it, an attempt to connect each of whose steps had all the time, tokens of a voter
	 * that forgot those of the others, a subscription that was never answered, a first
	 * connection to a node of a cluster for which commands waited twice, and a downgrade
	 * that kept a key for longer than its lease.
	 */
	@ParameterizedTest
	@CsvSource({ "CLUSTER, 66", "ONE, 10003935", "QUORUM, 100509885", "ONE, 100015919", "QUORUM, 100509552",
			"QUORUM, 100029737", "ONE, 100003739", "FAILOVER, 820001586", "CLUSTER, 7000146983", "CLUSTER, 7000158623",
			"QUORUM, 7000251332" })
	void seedsThatFoundDefectsFindNoMore(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology), false).violations()).isEmpty();
	}

	/**
	 * A lock that others had while it was passed on here, and readers that are readers
	 * again after somebody had the lock alone.
	 */
	@ParameterizedTest
	@CsvSource({ "364, 2, -1", "211, 2, -1", "1330, 1, -1", "1519, 1, 60", "1772, 1, 60" })
	void seedsThatFoundLossesThatNobodyWasToldFindNoMore(long seed, int keys, int shared) {
		Scenario scenario = Scenario.of(seed, Topology.ONE)
			.withVanishing(Scenario.MOST_VANISHING)
			.withKeys(keys)
			.withShared(shared);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * First tokens of a server that was replaced meanwhile, one that leaps once more as
	 * somebody was led back to it, tokens that begin anew, a registry that was stopped
	 * while its JVM was paused, servers that were restarted while nobody was connected,
	 * the order of queues that differ, a downgrade that is not confirmed yet, a watchdog
	 * that stands still, a key that is shared for a slice by those of one process, whose
	 * turn it is, a command of a closed connection that comes seconds later, votes that
	 * are taken by force before their owner id knows of a majority, and a downgrade of
	 * which nobody knows whether it took effect.
	 */
	@ParameterizedTest
	@CsvSource({ "CLUSTER, 30028717", "CLUSTER, 200003507", "FAILOVER, 200000853", "FAILOVER, 200010828",
			"ONE, 100570028", "ONE, 5003301", "CLUSTER, 7000231707", "CLUSTER, 931001287", "FAILOVER, 7000197326",
			"FAILOVER, 7000345094", "QUORUM, 7000267212", "QUORUM, 5003616", "QUORUM, 8000010976",
			"CLUSTER, 8000035335", "CLUSTER, 8000150591", "FAILOVER, 41000063299", "FAILOVER, 41000092485",
			"QUORUM, 41300021148", "QUORUM, 43500019237" })
	void whatNobodyPromisesIsNoViolation(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology), false).violations()).isEmpty();
	}

	/**
	 * Who waits elsewhere while a process hands a key on among its own callers, as it
	 * heard no signals when they came; and whoever wants a key alone of which a place to
	 * share it was reserved for its process.
	 */
	@ParameterizedTest
	@CsvSource({ "FAILOVER, 11715000016", "ONE, 10705000054" })
	void seedsThatFoundWaitsInVainFindNoMore(Topology topology, long seed) {
		Scenario scenario = Scenario.of(seed, topology).withShared(60);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * Places and messages of a process that connects anew.
	 */
	@Test
	void whoHearsNothingForAMomentWaitsForLonger() {
		Scenario scenario = Scenario.of(12710000111L, Topology.CLUSTER).withPermits(1);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A connection for renewals alone that fell silent long before the first renewal over
	 * it, and places in queues that commands of closed connections took.
	 */
	@ParameterizedTest
	@MethodSource
	void whatIsFoundOutLateIsNoViolation(Scenario scenario) {
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	static Stream<Scenario> whatIsFoundOutLateIsNoViolation() {
		return Stream.of(
				Scenario.of(300037, Topology.FAILOVER)
					.withInstances(3)
					.withActors(6)
					.withKeys(1)
					.withOperations(2)
					.withPermits(0)
					.withShared(40)
					.withTraits(EnumSet.of(Trait.BATCHES, Trait.FORGETFUL, Trait.ACKNOWLEDGED, Trait.EXPIRING,
							Trait.RACING, Trait.UNSTEADY))
					.withMask(0xc00000001c51L),
				Scenario.of(30001000276L, Topology.FAILOVER)
					.withActors(1)
					.withKeys(1)
					.withOperations(4)
					.withShared(40)
					.withTraits(EnumSet.of(Trait.FORGETFUL, Trait.EXTENDED, Trait.ACKNOWLEDGED)),
				Scenario.of(30005000377L, Topology.FAILOVER)
					.withActors(4)
					.withKeys(6)
					.withOperations(5)
					.withShared(40)
					.withVanishing(6)
					.withTraits(EnumSet.of(Trait.BATCHES)),
				Scenario.of(30006000250L, Topology.CLUSTER)
					.withActors(2)
					.withKeys(3)
					.withOperations(5)
					.withVanishing(6)
					.withTraits(EnumSet.of(Trait.REPLACED, Trait.UNWRITABLE)));
	}

	/**
	 * It stays for its term: the server has not noticed yet that nobody listens.
	 */
	@Test
	void aGrantThatIsToldOverAConnectionThatWasGivenUpIsNoOrphan() {
		Scenario scenario = Scenario.of(40012000166L, Topology.ONE).withPermits(1).withMask(7);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * Tokens do not leap on a server that was restarted from an old snapshot, as the
	 * fence may not be written when processes connect.
	 */
	@Test
	void tokensOfAServerWhoseFenceIsDeniedMayBeThoseOfBefore() {
		Scenario scenario = Scenario.of(12711000116L, Topology.ONE)
			.withInstances(3)
			.withActors(5)
			.withKeys(1)
			.withOperations(2)
			.withTraits(EnumSet.of(Trait.SEVERAL, Trait.EXTENDED, Trait.UNWRITABLE));
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A slot leaves a node and comes back to it, from one that had not received the last
	 * tokens.
	 */
	@Test
	void seedThatFoundATokenTwiceFindsNoMore() {
		Scenario scenario = Scenario.of(1010506, Topology.CLUSTER).withPermits(0);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A server forgets, and then is restarted from a snapshot of before.
	 */
	@Test
	void whatASnapshotBringsBackIsNoNewVote() {
		Scenario scenario = Scenario.of(301958, Topology.QUORUM)
			.withInstances(1)
			.withActors(1)
			.withKeys(1)
			.withOperations(2)
			.withPermits(1)
			.withShared(40)
			.withTraits(EnumSet.noneOf(Trait.class))
			.withMask(0x42);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A listener comes between the end of a leadership and the moment when listeners are
	 * told of it.
	 */
	@Test
	void listenerThatComesLateHearsOfNothingBefore() {
		Scenario scenario = Scenario.of(301028, Topology.CLUSTER)
			.withInstances(3)
			.withActors(4)
			.withKeys(1)
			.withOperations(1)
			.withPermits(0)
			.withShared(0)
			.withTraits(EnumSet.of(Trait.FORGETFUL, Trait.EXTENDED, Trait.ALIKE, Trait.LEADING))
			.withMask(0);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A majority granted the key, of which its instance learned nothing: it gives the
	 * votes back, and tells those who wait.
	 */
	@Test
	void votesThatNobodyHeardOfWakeTheNextOneWhenTheyAreGivenBack() {
		assertThat(Run.of(Scenario.of(72000049, Topology.QUORUM).withPermits(1), false).violations()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void somebodyLeadsWhateverFails(Topology topology) {
		List<Run> runs = LongStream.rangeClosed(1, SEEDS / 4)
			.mapToObj((seed) -> Scenario.of(seed, topology).withTraits(EnumSet.of(Trait.LEADING)))
			.map((scenario) -> Run.of(scenario, true))
			.toList();
		assertThat(runs).allSatisfy((run) -> assertThat(run.violations()).isEmpty());
		assertThat(runs.stream().flatMap((run) -> run.world().traced().stream()))
			.anyMatch((line) -> line.endsWith(" leads no more: YIELDED"))
			.anyMatch((line) -> line.endsWith(" leads no more: STOPPED"))
			.anyMatch((line) -> line.endsWith(" leads no more: EXPIRED"));
	}

	/**
	 * Paused past its deadline, a leader that yields has lost the leadership.
	 */
	@Test
	void leaderThatGivesUpWhatItHasLostTellsOfTheLoss() {
		Scenario scenario = Scenario.of(171, Topology.CLUSTER).withTraits(EnumSet.of(Trait.LEADING));
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A registry that was stopped and started has two callers of a name, of which one
	 * ends while the other still holds a lock, or is about to.
	 */
	@ParameterizedTest
	@CsvSource({ "ONE, 25000027051", "CLUSTER, 21000001582" })
	void whatACallerHoldsAfterAnotherEndedIsNoOrphan(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology).withPermits(2), false).violations()).isEmpty();
	}

	/**
	 * A writer stands in its process behind a reader, which is cancelled at its grant.
	 */
	@Test
	void whoStandsBehindAReaderThatGivesUpIsPassedUntilThen() {
		Scenario scenario = Scenario.of(2686, Topology.ONE).withActors(4).withKeys(1).withOperations(6);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * A voter forgets a lock whose holder goes on sharing it, with a reader who comes.
	 */
	@ParameterizedTest
	@ValueSource(longs = { 34390017, 34390090 })
	void whoGoesOnSharingALockIsNotRevivedBesideAReader(long seed) {
		assertThat(Run.of(Scenario.of(seed, Topology.QUORUM).withShared(60), false).violations()).isEmpty();
	}

	/**
	 * Nobody is told at servers that vote that a lock has expired.
	 */
	@Test
	void whoWaitsForALockThatExpiresInAQuorumAsksAgainLater() {
		assertThat(Run.of(Scenario.of(12000212884L, Topology.QUORUM).withPermits(2), false).violations()).isEmpty();
	}

	/**
	 * The clock of a server is set, and the replies that would tell come all at once.
	 */
	@Test
	void seedThatFoundAStepOfAClockBehindCommandsThatOverlapFindsNoMore() {
		assertThat(Run.of(Scenario.of(31100071006L, Topology.QUORUM).withPermits(2), false).violations()).isEmpty();
	}

	/**
	 * A server of a quorum executes an acquisition once more, over a connection that was
	 * replaced, after the lock was released.
	 */
	@ParameterizedTest
	@CsvSource({ "31100068154, 2", "35100063422, 2", "34100026120," })
	void whatAServerTakesAgainAfterItsReleaseLastsForATtl(long seed, @Nullable Integer permits) {
		Scenario scenario = Scenario.of(seed, Topology.QUORUM);
		assertThat(Run.of((permits != null) ? scenario.withPermits(permits) : scenario, false).violations()).isEmpty();
	}

	/**
	 * A server of a quorum forgets tokens of one whose clock is ahead by more than the
	 * ttl of any lock.
	 */
	@Test
	void tokensNeedClocksOfVotersThatAgree() {
		assertThat(Run.of(Scenario.of(31100042703L, Topology.QUORUM).withPermits(2), false).violations()).isEmpty();
	}

	/**
	 * Two instances wake each other without end, each by a release that finds nothing at
	 * one of the servers that vote.
	 */
	@Test
	void seedThatFoundInstancesThatWakeEachOtherWithoutEndFindsNoMore() {
		assertThat(Run.of(Scenario.of(24000023300L, Topology.QUORUM), false).violations()).isEmpty();
	}

	/**
	 * A release by force of which few voters tell, a holder by grant who asks for the key
	 * only later, one who stands behind himself, a voter that takes a lock again which is
	 * shared by now, and one that has a lock for readers whose names vanished.
	 */
	@ParameterizedTest
	@CsvSource({ "QUORUM, 29112222", "QUORUM, 29212181", "QUORUM, 29212205", "FAILOVER, 29112166", "ONE, 29212209",
			"ONE, 29212222", "CLUSTER, 29212054", "QUORUM, 1129100129", "QUORUM, 1130000182" })
	void whatNobodyPromisesIsNoViolationInRunsThatDiffer(Topology topology, long seed) {
		Scenario scenario = Scenario.of(seed, topology);
		for (Scenario each : List.of(scenario.varied(), scenario.variedAtTimes())) {
			assertThat(Run.of(each, false).violations()).as(each.options()).isEmpty();
		}
	}

	/**
	 * Of servers that take over with what was given back since, of answers that come
	 * late, of connections that are silent, and of a failure of several keys.
	 */
	@ParameterizedTest
	@CsvSource({ "FAILOVER, 61215", "FAILOVER, 8100326", "FAILOVER, 8100557", "FAILOVER, 8100690", "FAILOVER, 8100804",
			"FAILOVER, 8200170", "FAILOVER, 9601249", "FAILOVER, 9651107", "FAILOVER, 9800109", "ONE, 8100392",
			"ONE, 8500159", "ONE, 8700074", "CLUSTER, 8100565", "CLUSTER, 9600802", "CLUSTER, 9600829",
			"QUORUM, 8100320", "QUORUM, 8100484", "QUORUM, 9400004" })
	void whatIsToldLateOrForAnotherKeyIsNoViolation(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology).varied(), false).violations()).isEmpty();
	}

	/**
	 * A primary becomes a replica and goes on answering. What is renewed over a
	 * connection of its own is shared by several.
	 */
	@Test
	void renewalsOfReadersGoToTheNextPrimary() {
		Scenario scenario = Scenario.of(29212264, Topology.FAILOVER)
			.withActors(6)
			.withKeys(1)
			.withOperations(3)
			.withPermits(0)
			.withTraits(Set.of(Trait.ACKNOWLEDGED, Trait.EXPIRING))
			.withMask(2);
		assertThat(Run.of(scenario, false).violations()).isEmpty();
	}

	/**
	 * Started from an old snapshot, the server has a lock for one alone who came to share
	 * it since.
	 */
	@Test
	void whatAnOldSnapshotHasForOneAloneIsNoViolation() {
		assertThat(Run.of(Scenario.of(1130000017, Topology.ONE), false).violations()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsWrongAndTwoRunsOfASeedAreTheSameByteForByte(Topology topology) {
		for (long seed = 1; seed <= TWICE; seed++) {
			Run first = Run.of(Scenario.of(seed, topology), true);
			Run second = Run.of(Scenario.of(seed, topology), true);
			assertThat(second.world().traced()).isEqualTo(first.world().traced());
			assertThat(second.world().digest()).isEqualTo(first.world().digest());
			assertThat(first.violations()).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource
	void permitsAreGrantedUpToTheirLimit(Topology topology) {
		List<Run> runs = LongStream.rangeClosed(1, SEEDS / 4)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology).withPermits(1), false))
			.toList();
		assertThat(runs).allSatisfy((run) -> assertThat(run.violations()).isEmpty());
		assertThat(runs).anySatisfy((run) -> assertThat(run.checks().mostPermits()).isEqualTo(3));
	}

	@ParameterizedTest
	@EnumSource
	void locksAreShared(Topology topology) {
		assertThat(LongStream.rangeClosed(1, SEEDS / 4)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology).withShared(60), false)))
			.allSatisfy((run) -> assertThat(run.violations()).isEmpty());
	}

	@ParameterizedTest
	@EnumSource
	void keysVanish(Topology topology) {
		List<Run> runs = LongStream.rangeClosed(1, SEEDS / 4)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology).withVanishing(Scenario.MOST_VANISHING), true))
			.toList();
		assertThat(runs).allSatisfy((run) -> assertThat(run.violations()).isEmpty());
		assertThat(runs.stream().flatMap((run) -> run.world().traced().stream()))
			.anyMatch((line) -> line.matches(".*}lock:.* vanishes from .*"))
			.anyMatch((line) -> line.matches(".*}readers:.* vanishes from .*"))
			.anyMatch((line) -> line.matches(".*}queue:.* vanishes from .*"))
			.anyMatch((line) -> line.matches(".*}fence vanishes from .*"));
	}

	/**
	 * Sizes that are drawn, and all that a quarter of the seeds has.
	 */
	@ParameterizedTest
	@EnumSource
	void runsDiffer(Topology topology) {
		assertThat(LongStream.rangeClosed(1, SEEDS / 5)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology).varied(), false)))
			.allSatisfy((run) -> assertThat(run.violations()).as(run.scenario().options()).isEmpty());
	}

	@Test
	void aQuarterOfTheSeedsVaries() {
		assertThat(LongStream.rangeClosed(1, 1000)
			.mapToObj((seed) -> Scenario.of(seed, Topology.ONE))
			.filter((scenario) -> scenario.variedAtTimes().equals(scenario.varied()))).hasSizeBetween(200, 300);
	}

	/**
	 * The last token is forgotten, and those that follow are larger all the same.
	 */
	@Test
	void fencesExpire() {
		Scenario scenario = Scenario.of(1, Topology.ONE);
		Run run = Run.of(scenario.withTraits(EnumSet.of(Trait.FORGETFUL)), false);
		assertThat(run.violations()).isEmpty();
		assertThat(run.servers().primary().exists("{lock}fence")).isFalse();
		assertThat(Run.of(scenario, false).servers().primary().exists("{lock}fence")).isTrue();
	}

	/**
	 * Some of the commands are put off and withdrawn there.
	 */
	@Test
	void callsHaveSeveralCommands() {
		Scenario scenario = Scenario.of(57, Topology.CLUSTER)
			.withTraits(EnumSet.of(Trait.BATCHES))
			.withKeys(6)
			.withActors(4)
			.withOperations(3)
			.withPermits(0);
		Run run = Run.of(scenario, false);
		assertThat(run.violations()).isEmpty();
		assertThat(run.reach().shared()).isPositive();
		assertThat(run.reach().putOff()).isPositive();
		assertThat(run.reach().withdrawn()).isPositive();
	}

	/**
	 * Some of them in calls of several commands, which are done.
	 */
	@Test
	void acquisitionsAreUndone() {
		Reach reach = new Reach();
		LongStream.rangeClosed(1, SEEDS / 10).forEach((seed) -> {
			Scenario scenario = Scenario.of(seed, Topology.ONE)
				.withTraits(EnumSet.of(Trait.BATCHES, Trait.UNWRITABLE))
				.withKeys(6);
			Run run = Run.of(scenario, false);
			assertThat(run.violations()).as(scenario.options()).isEmpty();
			reach.add(run.reach());
		});
		assertThat(reach.undone()).isPositive();
		assertThat(reach.refused()).isPositive();
	}

	/**
	 * What few runs have hardly happens in others, where only what waited for a
	 * connection shares a call.
	 */
	@Test
	void traitsAreNotThoseOfAllRuns() {
		Reach reach = new Reach();
		Reach batches = new Reach();
		LongStream.rangeClosed(1, SEEDS / 10).forEach((seed) -> {
			Scenario scenario = Scenario.of(seed, Topology.ONE);
			reach.add(Run.of(scenario, false).reach());
			batches.add(Run.of(scenario.withTraits(EnumSet.of(Trait.BATCHES)), false).reach());
		});
		assertThat(batches.shared()).isGreaterThan(5 * reach.shared());
		assertThat(reach.undone()).isZero();
	}

	/**
	 * The server waits for its replica, for which at times it waits in vain.
	 */
	@Test
	void replicasAcknowledge() {
		List<Run> runs = LongStream.rangeClosed(1, SEEDS / 10)
			.mapToObj((seed) -> Scenario.of(seed, Topology.FAILOVER).withTraits(EnumSet.of(Trait.ACKNOWLEDGED)))
			.map((scenario) -> Run.of(scenario, true))
			.toList();
		assertThat(runs).allSatisfy((run) -> assertThat(run.violations()).isEmpty());
		assertThat(runs.stream().flatMap((run) -> run.world().traced().stream()))
			.anyMatch((line) -> line.endsWith(": WAIT 1 50 -> 1"))
			.anyMatch((line) -> line.endsWith(": WAIT 1 50 -> 0"));
	}

	/**
	 * Commands go to another server while the one before lives, as Sentinels say so.
	 */
	@Test
	void serversAreReplaced() {
		List<Run> runs = LongStream.rangeClosed(1, SEEDS / 4)
			.mapToObj((seed) -> Scenario.of(seed, Topology.FAILOVER).withTraits(EnumSet.of(Trait.REPLACED)))
			.map((scenario) -> Run.of(scenario, true))
			.toList();
		assertThat(runs).allSatisfy((run) -> assertThat(run.violations()).isEmpty());
		assertThat(runs.stream().flatMap((run) -> run.world().traced().stream()))
			.anyMatch((line) -> line.contains(" REPLACE "))
			.anyMatch((line) -> line.contains(" as the primary"));
	}

	@Test
	void keysVanishWithoutChangingOtherScenarios() {
		assertDrawn((scenario) -> scenario.withVanishing(0), (run) -> run.vanishing() != 0);
	}

	@Test
	void sharedLocksAreDrawnWithoutChangingOtherScenarios() {
		assertDrawn((scenario) -> scenario.withShared(0), (run) -> run.shared() != 0);
	}

	@Test
	void permitsAreDrawnWithoutChangingOtherScenarios() {
		assertDrawn((scenario) -> scenario.withPermits(0), (run) -> !run.permits().isEmpty());
	}

	/**
	 * Some seeds draw it. One that does not is what it would be if there were no such
	 * locks.
	 */
	private static void assertDrawn(UnaryOperator<Scenario> without, Predicate<Run> isDrawn) {
		List<Boolean> drawn = LongStream.rangeClosed(1, SEEDS / 4).mapToObj((seed) -> {
			Scenario scenario = Scenario.of(seed, Topology.ONE);
			Run run = Run.of(scenario, false);
			boolean same = run.world().digest() == Run.of(without.apply(scenario), false).world().digest();
			assertThat(same).isEqualTo(!isDrawn.test(run));
			return !same;
		}).toList();
		assertThat(drawn).contains(true, false);
	}

	@Test
	void tracingChangesNothing() {
		for (long seed = 1; seed <= SEEDS / 4; seed++) {
			Scenario scenario = Scenario.of(seed, Topology.ONE);
			assertThat(Run.of(scenario, true).world().digest()).isEqualTo(Run.of(scenario, false).world().digest());
		}
	}

	@Test
	void locksAreAcquiredAndFaultsHappen() {
		Run run = Run.of(Scenario.of(2, Topology.ONE), true);
		assertThat(run.world().traced()).anyMatch((line) -> line.contains(" FAULT "))
			.anyMatch((line) -> line.contains(" believes that "));
		assertThat(run.fenced("k0").count() + run.fenced("k1").count()).isPositive();
	}

}
