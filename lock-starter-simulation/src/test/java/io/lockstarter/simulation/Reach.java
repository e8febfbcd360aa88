// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.Locale;

import io.lockstarter.simulation.redis.Reply;

/**
 * Counts what happens in runs that is easily thought to happen, and may not.
 */
final class Reach {

	private static final List<String> UNSETTLED = List.of("ASK ", "TRYAGAIN", "non local key");

	private long calls;

	private long commands;

	private long shared;

	private long refused;

	private long putOff;

	private long withdrawn;

	private long undone;

	/**
	 * Note a call of the script.
	 * @param locks how many locks it is about
	 * @return whether it was put off, or commands of it
	 */
	boolean called(int locks, Reply reply) {
		if (!(reply instanceof Reply.Array array)) {
			boolean unsettled = reply instanceof Reply.Failure failure
					&& UNSETTLED.stream().anyMatch(failure.message()::contains);
			this.putOff += (unsettled && locks > 1) ? locks : 0;
			return unsettled;
		}
		int size = array.elements().size();
		this.undone += array.elements().stream().filter((each) -> contains(each, "can't access")).count();
		this.calls++;
		this.commands += size;
		if (size > 1) {
			this.shared++;
			array.elements().forEach(this::answered);
		}
		return array.elements().stream().anyMatch(Reach::isPutOff);
	}

	private static boolean isPutOff(Reply reply) {
		return UNSETTLED.stream().anyMatch((words) -> contains(reply, words));
	}

	private static boolean contains(Reply reply, String words) {
		return reply instanceof Reply.Bulk bulk && bulk.text().startsWith("!") && bulk.text().contains(words);
	}

	private void answered(Reply reply) {
		if (isPutOff(reply)) {
			this.putOff++;
		}
		else if (contains(reply, "!")) {
			this.refused++;
		}
	}

	/**
	 * Note a call that is about to be written.
	 * @param commands how many of those that wait for it are over
	 */
	void withdrawn(long commands) {
		this.withdrawn += commands;
	}

	void add(Reach other) {
		this.calls += other.calls;
		this.commands += other.commands;
		this.shared += other.shared;
		this.refused += other.refused;
		this.putOff += other.putOff;
		this.withdrawn += other.withdrawn;
		this.undone += other.undone;
	}

	/**
	 * Return how many calls had several commands.
	 */
	long shared() {
		return this.shared;
	}

	/**
	 * Return how many commands were refused in a call of several.
	 */
	long refused() {
		return this.refused;
	}

	/**
	 * Return how many commands were put off in, or with, a call of several.
	 */
	long putOff() {
		return this.putOff;
	}

	/**
	 * Return how many commands were withdrawn beside others that waited for the same
	 * call.
	 */
	long withdrawn() {
		return this.withdrawn;
	}

	/**
	 * Return how many acquisitions were undone, as the fence could not be written.
	 */
	long undone() {
		return this.undone;
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT,
				"calls=%d commands=%d calls_of_several=%d refused_there=%d put_off_there=%d withdrawn_there=%d undone=%d",
				this.calls, this.commands, this.shared, this.refused, this.putOff, this.withdrawn, this.undone);
	}

}
