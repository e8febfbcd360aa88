// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.engine.SimulatedRegistry.Wait;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReasonsTest {

	private static final long POLL = 5 * World.SECOND;

	private final World world = new World(1, false);

	private final Jvm jvm = new Jvm(this.world, "i0", 0, 1, 0);

	private final Jvm.Lane lane = this.jvm.lane("watchdog");

	private final List<Rule> rules = new ArrayList<>();

	private final Reasons reasons = new Reasons(this.world::now, (rule, details) -> this.rules.add(rule));

	@Test
	void whoAsksAgainInTimeHasAReason() {
		look(timer(POLL), false, true);
		look(timer(300 * World.MILLI), false, false);
		look(timer(World.SECOND), true, false);
		assertThat(this.rules).isEmpty();
	}

	@Test
	void whoDoesNotAskAgainIsFound() {
		look(null, false, true);
		assertThat(this.rules).containsExactly(Rule.NO_REASON);
	}

	@Test
	void timerThatWasTakenBackIsNoReason() {
		Runnable timer = timer(POLL);
		timer.run();
		look(timer, false, true);
		assertThat(this.rules).containsExactly(Rule.NO_REASON);
	}

	@Test
	void whoAsksAgainTooLateIsFound() {
		look(timer(POLL + 1), false, true);
		look(timer(301 * World.MILLI), false, false);
		look(timer(World.SECOND + 1), true, true);
		assertThat(this.rules).hasSize(3);
	}

	@Test
	void whoHearsNoSignalsForLongIsFound() {
		Call call = new Call("acquire", "a0", this.jvm, List.of("k"), 0, Long.MAX_VALUE, 0);
		this.reasons.listens(call, false);
		this.world.passTo(World.SECOND);
		this.reasons.listens(call, true);
		assertThat(this.rules).isEmpty();
		this.reasons.listens(call, false);
		assertThat(this.rules).containsExactly(Rule.NO_REASON);
	}

	private Runnable timer(long delay) {
		return this.lane.schedule(() -> {
		}, delay);
	}

	private void look(@Nullable Runnable timer, boolean failing, boolean listening) {
		this.reasons.look(this.jvm, List.of(new Wait("k", failing, timer)), listening, POLL);
	}

}
