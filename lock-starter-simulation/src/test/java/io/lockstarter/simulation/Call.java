// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.List;
import java.util.Set;

/**
 * A call that has to end in time.
 */
final class Call {

	final String what;

	final String caller;

	final Clock clock;

	final List<String> keys;

	final long since;

	/**
	 * Until when it has to end, by the clock of its caller.
	 */
	long until;

	/**
	 * How long it may still take when its caller goes on after a pause: one that finds
	 * out that it could not connect waits for a command timeout more.
	 */
	final long afterPause;

	boolean ended;

	/**
	 * Whether it did not end at once.
	 */
	boolean waited;

	/**
	 * Whether it is told at once if it cannot have what it wants.
	 */
	boolean triesOnce;

	/**
	 * Whether it wants to share what it gets.
	 */
	boolean shared;

	/**
	 * When the last one ended behind whom it stood, see {@link #isBehind}.
	 */
	long behindUntil = Long.MIN_VALUE;

	/**
	 * The keys that the process was concerned with before.
	 */
	Set<String> usedBefore = Set.of();

	Call(String what, String caller, Clock clock, List<String> keys, long since, long until, long afterPause) {
		this.what = what;
		this.caller = caller;
		this.clock = clock;
		this.keys = keys;
		this.since = since;
		this.until = until;
		this.afterPause = afterPause;
	}

	/**
	 * Return whether it wants a key for itself alone.
	 */
	boolean wantsAlone(String key) {
		return this.what.startsWith("acquire") && !this.shared && this.keys.contains(key);
	}

	/**
	 * Return whether it wants a key alone, and stands in its process behind one that
	 * wants to share it: the process asks on behalf of that one.
	 */
	boolean isBehind(Call other) {
		return other.shared && other.clock == this.clock && other.since <= this.since
				&& other.keys.stream().anyMatch(this::wantsAlone);
	}

	/**
	 * Return whether it is to share a key, which is nobody else's until that is
	 * confirmed.
	 */
	boolean isSharing(String key) {
		return this.what.equals("share") && this.keys.contains(key);
	}

	boolean isForPermit() {
		return this.what.equals("acquirePermit");
	}

	@Override
	public String toString() {
		return "%s %s%s since %s".formatted(this.caller, this.what, this.keys, World.time(this.since));
	}

}
