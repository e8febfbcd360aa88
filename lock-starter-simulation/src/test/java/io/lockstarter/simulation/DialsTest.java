// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.Violation.Rule;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DialsTest {

	private static final String SERVER = "redis:6379";

	private static final String OTHER = "s1:7001";

	private static final String NAMED = SimulatedStores.primaryOf("s100");

	private static final String OTHER_NAMED = SimulatedStores.primaryOf("s101");

	private static final long PATIENCE = 300 * World.MILLI;

	private final World world = new World(1, false);

	private final Jvm jvm = new Jvm(this.world, "i0", 0, 1, 0);

	private final List<Rule> rules = new ArrayList<>();

	private final Dials dials = new Dials(this.world::now, (rule, details) -> this.rules.add(rule), SERVER::equals,
			List.of(), 1, (process) -> PATIENCE);

	@Test
	void whoHasNotConnectedYetNeedNot() {
		pass(10 * Dials.LONGEST_PAUSE);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoIsConnectedOrTriesIsNotIdle() {
		var unused = dial(SERVER);
		pass(10 * Dials.LONGEST_PAUSE);
		connect(SERVER);
		pass(10 * Dials.LONGEST_PAUSE);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoDoesNotTryAgainIsFound() {
		fail(SERVER);
		pass(Dials.LONGEST_PAUSE);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).contains(Rule.NO_REASON);
	}

	@Test
	void whoLosesAConnectionAndDoesNotReplaceItIsFound() {
		connect(SERVER);
		this.dials.closed(this.jvm, SERVER, true);
		pass(Dials.LONGEST_PAUSE + 1);
		assertThat(this.rules).contains(Rule.NO_REASON);
	}

	@Test
	void anotherServerIsNoSubstituteForOneThatIsNeeded() {
		fail(SERVER);
		connect(OTHER);
		pass(Dials.LONGEST_PAUSE + 1);
		assertThat(this.rules).containsExactly(Rule.NO_REASON);
	}

	@Test
	void oneThatIsNotNeededMayBeLeftForAnother() {
		fail(OTHER);
		connect(SERVER);
		pass(10 * Dials.LONGEST_PAUSE);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoIsStoppedNeedNotConnect() {
		fail(SERVER);
		pass(Dials.LONGEST_PAUSE);
		this.dials.look(this.jvm, false);
		pass(Dials.LONGEST_PAUSE);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoFailsWithoutAPauseIsFound() {
		for (int i = 0; i < Dials.MOST_FAILURES; i++) {
			fail(SERVER);
			this.world.passTo(this.world.now() + World.MILLI);
		}
		assertThat(this.rules).isEmpty();
		fail(SERVER);
		assertThat(this.rules).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void whoFailsOnceInAWhileIsRight() {
		for (int i = 0; i < 10 * Dials.MOST_FAILURES; i++) {
			fail(SERVER);
			pass(World.SECOND / Dials.MOST_FAILURES + 1);
		}
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoIsToldOfAPrimaryAndDoesNotLookIsFound() {
		connect(NAMED);
		connect(SERVER);
		pass(World.SECOND);
		this.dials.told(this.jvm, NAMED);
		pass(Dials.FOLLOWED);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
		pass(World.SECOND);
		assertThat(this.rules).hasSize(1);
	}

	@Test
	void whoLooksAtAPrimaryIsRight() {
		connect(NAMED);
		connect(SERVER);
		pass(World.SECOND);
		this.dials.told(this.jvm, NAMED);
		var unused = dial(NAMED);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoHasNoPrimaryYetLooksForOneLater() {
		connect(SERVER);
		this.dials.told(this.jvm, NAMED);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoIsToldOfAPrimaryBeforeHeHasOneLooksWhenHeHas() {
		this.dials.told(this.jvm, NAMED);
		pass(World.SECOND);
		assertThat(this.rules).as("without a connection").isEmpty();
		connect(OTHER_NAMED);
		pass(Dials.FOLLOWED);
		assertThat(this.rules).as("soon after it").isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	@Test
	void whoIsToldOfTwoPrimariesBeforeHeHasOneLooksAtTheLast() {
		this.dials.told(this.jvm, NAMED);
		pass(World.MILLI);
		this.dials.told(this.jvm, OTHER_NAMED);
		pass(World.MILLI);
		connect(OTHER_NAMED);
		pass(World.SECOND);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoGivesUpAConnectionThatAnswersIsFound() {
		this.dials.givesUp(this.jvm, SERVER, PATIENCE / 2, World.SECOND);
		assertThat(this.rules).as("that does not answer").isEmpty();
		this.dials.givesUp(this.jvm, SERVER, PATIENCE / 2 - 1, PATIENCE);
		assertThat(this.rules).as("over which commands are sent again").isEmpty();
		this.dials.givesUp(this.jvm, SERVER, PATIENCE / 2 - 1, PATIENCE + 1);
		assertThat(this.rules).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void whoWasSubscribedWhileNobodyLookedWasNotDeafSoLong() {
		this.dials.look(this.jvm, true, () -> false);
		pass(World.SECOND);
		this.dials.hears(this.jvm);
		pass(World.SECOND);
		this.dials.look(this.jvm, true, () -> false);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoBelievesThatHeHearsSignalsAndIsSubscribedNowhereIsFound() {
		this.dials.look(this.jvm, true, () -> true);
		pass(World.SECOND);
		this.dials.look(this.jvm, true, () -> false);
		pass(Dials.DEAF);
		this.dials.look(this.jvm, true, () -> false);
		assertThat(this.rules).as("soon after it").isEmpty();
		pass(1);
		this.dials.look(this.jvm, true, () -> false);
		assertThat(this.rules).containsExactly(Rule.MISTOLD);
	}

	@Test
	void whoKnowsThatHeIsSubscribedNowhereIsRight() {
		for (int i = 0; i < 10; i++) {
			this.dials.look(this.jvm, true, () -> false);
			pass(Dials.DEAF);
			this.dials.look(this.jvm, i % 2 == 0, () -> true);
		}
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoKeepsAConnectionThatIsReplacedIsFound() {
		connect(SERVER);
		connect(SERVER);
		pass(Dials.REPLACED + 1);
		assertThat(this.rules).as("one of them may be apart").isEmpty();
		connect(SERVER);
		pass(Dials.REPLACED);
		assertThat(this.rules).isEmpty();
		pass(1);
		assertThat(this.rules).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void whoDoesNotConnectToASentinelIsFound() {
		Dials behind = new Dials(this.world::now, (rule, details) -> this.rules.add(rule), (address) -> true,
				List.of("sentinel"), 1, (process) -> PATIENCE);
		behind.look(this.jvm, true);
		this.world.passTo(this.world.now() + 2 * Dials.LONGEST_PAUSE);
		behind.look(this.jvm, true);
		behind.begun(this.jvm, SERVER, new CompletableFuture<>());
		behind.look(this.jvm, true);
		this.world.passTo(this.world.now() + 2 * Dials.LONGEST_PAUSE);
		behind.look(this.jvm, true);
		assertThat(this.rules).as("before the first connection").isEmpty();
		behind.ready(this.jvm, SERVER);
		behind.look(this.jvm, true);
		this.world.passTo(this.world.now() + Dials.LONGEST_PAUSE);
		behind.look(this.jvm, true);
		assertThat(this.rules).as("soon after it").isEmpty();
		this.world.passTo(this.world.now() + 1);
		behind.look(this.jvm, true);
		assertThat(this.rules).containsExactly(Rule.NO_REASON);
	}

	@Test
	void whoIsPutOffTimeAndAgainWithoutARestIsFound() {
		for (int i = 0; i < Dials.MOST_PUT_OFF; i++) {
			this.dials.putOff(this.jvm, SERVER);
		}
		assertThat(this.rules).isEmpty();
		this.dials.putOff(this.jvm, SERVER);
		assertThat(this.rules).containsExactly(Rule.NEEDLESS);
	}

	@Test
	void whoDoesNotWaitForAnotherConnectionIsFound() {
		connect(SERVER);
		pass(Dials.LASTED + 1);
		this.dials.closed(this.jvm, SERVER, true);
		this.world.passTo(this.world.now() + Dials.PATIENCE);
		this.dials.unsent(this.jvm);
		assertThat(this.rules).as("when it has waited").isEmpty();
		connect(SERVER);
		pass(Dials.LASTED);
		this.dials.closed(this.jvm, SERVER, true);
		this.dials.unsent(this.jvm);
		assertThat(this.rules).as("after a connection that did not last").isEmpty();
		connect(SERVER);
		pass(Dials.LASTED + 1);
		this.dials.closed(this.jvm, SERVER, true);
		this.world.passTo(this.world.now() + Dials.PATIENCE - 1);
		this.dials.unsent(this.jvm);
		assertThat(this.rules).containsExactly(Rule.IN_VAIN);
	}

	private CompletableFuture<?> dial(String address) {
		CompletableFuture<?> attempt = new CompletableFuture<>();
		this.dials.begun(this.jvm, address, attempt);
		return attempt;
	}

	private void connect(String address) {
		var attempt = dial(address);
		this.dials.ready(this.jvm, address);
		attempt.complete(null);
	}

	private void fail(String address) {
		dial(address).completeExceptionally(new IllegalStateException("refused"));
	}

	private void pass(long time) {
		this.world.passTo(this.world.now() + time);
		this.dials.look(this.jvm, true);
	}

}
