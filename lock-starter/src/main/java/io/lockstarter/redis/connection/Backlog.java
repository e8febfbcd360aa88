// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * The commands of a line that wait for a call of the script, in the order in which they
 * were issued, to which a command returns that comes back. Knows nothing of connections.
 * Guarded by the monitor of the line.
 */
final class Backlog {

	/**
	 * How much goes into one call of the script, which keeps the server from everything
	 * else. A command weighs as much as it has keys, and {@link #LIGHTEST} at least.
	 */
	private static final int HEAVIEST = 128;

	private static final int LIGHTEST = 2;

	/**
	 * Of how many commands that is at most.
	 */
	private static final int MOST = HEAVIEST / LIGHTEST;

	private final Queue<ScriptCommand<?>> queue = new PriorityQueue<>();

	private int weight;

	/**
	 * Put a command in its place, unless it is there. If memory is short that may fail,
	 * and be tried again.
	 */
	void add(ScriptCommand<?> command) {
		if (command.queued(true)) {
			boolean added = false;
			try {
				added = this.queue.add(command);
			}
			finally {
				if (added) {
					this.weight += weightOf(command);
				}
				else {
					command.queued(false);
				}
			}
		}
	}

	/**
	 * Return how many calls all take that waits.
	 */
	int batches() {
		return (this.weight + HEAVIEST - 1) / HEAVIEST;
	}

	/**
	 * Return an empty list with room for what goes into one call.
	 */
	List<ScriptCommand<?>> room() {
		return new ArrayList<>(Math.min(this.queue.size(), MOST));
	}

	/**
	 * Take what goes into one call, but for commands that are over. Needs no memory if
	 * there is {@linkplain #room() room}.
	 * @param taken what they are added to
	 * @param carrier what they are about to be written to
	 */
	void takeCall(List<ScriptCommand<?>> taken, ScriptCommand.Carrier carrier, long now) {
		int heavy = 0;
		while (heavy < HEAVIEST && !this.queue.isEmpty()) {
			ScriptCommand<?> next = poll();
			if (!next.isDone()) {
				heavy += weightOf(next);
				next.writtenOver(carrier, now);
				taken.add(next);
			}
		}
	}

	List<ScriptCommand<?>> takeAll() {
		List<ScriptCommand<?>> all = new ArrayList<>(this.queue.size());
		while (!this.queue.isEmpty()) {
			all.add(poll());
		}
		return all;
	}

	private ScriptCommand<?> poll() {
		ScriptCommand<?> next = this.queue.remove();
		next.queued(false);
		this.weight -= weightOf(next);
		return next;
	}

	/**
	 * Return the commands that were issued before others for the same keys which were
	 * executed: they come too late.
	 */
	List<ScriptCommand<?>> overtakenBy(List<ScriptCommand<?>> executed) {
		long last = executed.stream().mapToLong(ScriptCommand::number).max().orElse(Long.MIN_VALUE);
		return this.queue.stream()
			.filter((command) -> command.number() < last && executed.stream().anyMatch(command::isBefore))
			.toList();
	}

	// Never more than one batch for a command.
	private static int weightOf(ScriptCommand<?> command) {
		return command.isAlone() ? HEAVIEST : Math.max(LIGHTEST, Math.min(HEAVIEST, command.keys().count()));
	}

}
