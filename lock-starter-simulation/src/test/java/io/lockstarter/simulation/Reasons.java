// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import io.lockstarter.engine.SimulatedRegistry.Wait;
import io.lockstarter.simulation.Violation.Rule;

/**
 * Checks that whoever waits in a process has a reason: a command is under way, or
 * somebody there has the key; or a timer asks again, in time, and signals are listened
 * to.
 */
final class Reasons {

	/**
	 * When to ask again while no signals are heard: whoever lets others go first waits
	 * for that long.
	 */
	private static final long WITHOUT_SIGNALS = 300 * World.MILLI;

	private static final long LONGEST_PAUSE = World.SECOND;

	/**
	 * After that a process hears signals.
	 */
	private static final long LISTENS = 2 * Waiting.FEW_ROUND_TRIPS;

	private final LongSupplier now;

	private final BiConsumer<Rule, String> violated;

	Reasons(LongSupplier now, BiConsumer<Rule, String> violated) {
		this.now = now;
		this.violated = violated;
	}

	/**
	 * Look at a process.
	 * @param waits those keys that somebody waits for, and that are neither asked for nor
	 * held alone
	 * @param pollInterval when to ask again at the latest
	 */
	void look(Clock clock, List<Wait> waits, boolean listening, long pollInterval) {
		for (Wait wait : waits) {
			long longest = wait.failing() ? LONGEST_PAUSE
					: listening ? pollInterval : Math.min(pollInterval, WITHOUT_SIGNALS);
			long due = Jvm.due(wait.timer());
			if (due - clock.nanoTime() > longest) {
				this.violated.accept(Rule.NO_REASON, "%s waits for %s, and asks again %s".formatted(clock, wait.key(),
						(due != Long.MAX_VALUE) ? "at " + World.time(clock.worldTime(due)) : "never"));
			}
		}
	}

	/**
	 * Return whether a call has waited for so long that its process hears signals.
	 */
	boolean mustListen(Call call) {
		return this.now.getAsLong() - call.since > LISTENS;
	}

	/**
	 * Check that a process hears signals for a call that nothing disturbed.
	 */
	void listens(Call call, boolean listening) {
		if (!listening && mustListen(call)) {
			this.violated.accept(Rule.NO_REASON, call + " hears no signals");
		}
	}

}
