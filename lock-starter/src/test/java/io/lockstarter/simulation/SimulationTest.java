// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Some hundred seeds of each topology; {@code simulate.sh} runs as many as anybody likes.
 */
@Tag("proof")
@Tag("computes")
@ExtendWith(Unlogged.class)
class SimulationTest {

	private static final int SEEDS = 100;

	@ParameterizedTest
	@EnumSource
	void nothingIsWrong(Topology topology) {
		List<String> wrong = LongStream.rangeClosed(SEEDS / 2 + 1, SEEDS)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology), false))
			.filter((run) -> !run.violations().isEmpty())
			.map((run) -> run.violations().get(0) + "\nsimulate.sh " + run.scenario().options())
			.toList();
		assertThat(wrong).isEmpty();
	}

	/**
	 * Signals that were looked for where the cluster had them no more, a quorum whose
	 * voters abstained because of a slow clock of an instance, a minimum hold that was
	 * over and told as a loss, a vote that did not count as a renewal overtook it, an
	 * attempt to connect each of whose steps had all the time, tokens of a voter that
	 * forgot those of the others, a clock that was set before the first vote, a
	 * subscription that was never answered, a first connection to a node of a cluster for
	 * which commands waited twice, and a downgrade that kept a key for longer than its
	 * lease.
	 */
	@ParameterizedTest
	@CsvSource({ "CLUSTER, 66", "QUORUM, 1036", "ONE, 10003935", "QUORUM, 100509885", "ONE, 100015919",
			"QUORUM, 100509552", "QUORUM, 777001439", "QUORUM, 100029737", "ONE, 100003739", "FAILOVER, 820001586",
			"CLUSTER, 7000146983", "CLUSTER, 7000158623", "QUORUM, 7000251332" })
	void seedsThatFoundDefectsFindNoMore(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology), false).violations()).isEmpty();
	}

	/**
	 * First tokens of a server that was replaced meanwhile, one that leaps once more as
	 * somebody was led back to it, tokens that begin anew, a registry that was stopped
	 * while its JVM was paused, servers that were restarted while nobody was connected, a
	 * voter's clock that is set when an instance's own is slow, the order of queues that
	 * differ, a downgrade that is not confirmed yet, a watchdog that stands still, a key
	 * that is shared for a slice by those of one process, whose turn it is, a command of
	 * a closed connection that comes seconds later, votes that are taken by force before
	 * their owner id knows of a majority, and a downgrade of which nobody knows whether
	 * it took effect.
	 */
	@ParameterizedTest
	@CsvSource({ "CLUSTER, 30028717", "CLUSTER, 200003507", "FAILOVER, 200000853", "FAILOVER, 200010828",
			"ONE, 100570028", "ONE, 5003301", "CLUSTER, 7000231707", "CLUSTER, 931001287", "FAILOVER, 7000197326",
			"FAILOVER, 7000345094", "QUORUM, 7000267212", "QUORUM, 5003616", "QUORUM, 7000199240", "QUORUM, 8000010976",
			"CLUSTER, 8000035335", "CLUSTER, 8000150591", "FAILOVER, 41000063299", "FAILOVER, 41000092485",
			"QUORUM, 41300021148", "QUORUM, 43500019237" })
	void whatNobodyPromisesIsNoViolation(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology), false).violations()).isEmpty();
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
	 * A registry that was stopped and started has two callers of a name, of which one
	 * ends while the other still holds a lock, or is about to.
	 */
	@ParameterizedTest
	@CsvSource({ "ONE, 25000027051", "CLUSTER, 21000001582" })
	void whatACallerHoldsAfterAnotherEndedIsNoOrphan(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology).withPermits(2), false).violations()).isEmpty();
	}

	/**
	 * A lock is busy that is taken, although no server was asked since the caller came,
	 * and so may be one for which somebody asks who gave up before there was a
	 * connection. Who comes before there is one waits for it, too. Nobody promises that
	 * an owner id that lost its key by force keeps what it acquires again.
	 */
	@ParameterizedTest
	@CsvSource({ "CLUSTER, 22000055128", "FAILOVER, 28000108938", "ONE, 26000145096", "CLUSTER, 42600052090" })
	void whatNobodyPromisesIsNoViolationWhereLocksAreRetained(Topology topology, long seed) {
		assertThat(Run.of(Scenario.of(seed, topology).withRetained(60), false).violations()).isEmpty();
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
	void whatAServerTakesAgainAfterItsReleaseIsGivenBack(long seed, @Nullable Integer permits) {
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
	 * A server that has just become a replica is no primary at once.
	 */
	@Test
	void whoBecomesAReplicaStaysOneForAWhile() {
		assertThat(Run.of(Scenario.of(22000055174L, Topology.CLUSTER).withRetained(60), false).violations()).isEmpty();
	}

	/**
	 * Two instances wake each other without end, each by a release that finds nothing at
	 * one of the servers that vote.
	 */
	@Test
	void seedThatFoundInstancesThatWakeEachOtherWithoutEndFindsNoMore() {
		assertThat(Run.of(Scenario.of(24000023300L, Topology.QUORUM), false).violations()).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void nothingIsWrongAndTwoRunsOfASeedAreTheSameByteForByte(Topology topology) {
		for (long seed = 1; seed <= SEEDS / 2; seed++) {
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
	void locksAreRetained(Topology topology) {
		List<Run> runs = LongStream.rangeClosed(1, SEEDS / 4)
			.mapToObj((seed) -> Run.of(Scenario.of(seed, topology).withRetained(60), false))
			.toList();
		assertThat(runs).allSatisfy((run) -> assertThat(run.violations()).isEmpty());
		assertThat(runs).anySatisfy((run) -> assertThat(run.reuses()).isPositive());
	}

	@Test
	void retentionIsDrawnWithoutChangingOtherScenarios() {
		assertDrawn((scenario) -> scenario.withRetained(0), (run) -> run.retained() != 0);
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
