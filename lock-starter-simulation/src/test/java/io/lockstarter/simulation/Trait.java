// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import org.jspecify.annotations.Nullable;

/**
 * What some runs have that others have not. Drawn by a stream of its own, see
 * {@link Scenario#varied}.
 */
enum Trait {

	/**
	 * Commands wait for a moment until they are written, so that a call has several; and
	 * at times for longer.
	 */
	BATCHES(Fault.STUCK),

	/**
	 * Callers mostly want several keys, some of them, in any order.
	 */
	SEVERAL,

	/**
	 * Servers forget the last token as soon as their clocks have passed it.
	 */
	FORGETFUL,

	/**
	 * The application replaces its client at times, and where a replica may take over
	 * there are Sentinels, which say so.
	 */
	REPLACED(Fault.REPLACE),

	/**
	 * Callers extend every second lease, some twice, and go on for as long.
	 */
	EXTENDED,

	/**
	 * Scripts may not write the last token for a while.
	 */
	UNWRITABLE(Fault.PROTECT),

	/**
	 * Where a replica may take over, it has to know of what is acquired.
	 */
	ACKNOWLEDGED,

	/**
	 * Most leases are short and not renewed, and are held for longer at times.
	 */
	EXPIRING,

	/**
	 * Callers mostly want the same key on the same terms, one after the other, so that a
	 * process passes it on among them for long.
	 */
	ALIKE,

	/**
	 * Many leases are released, or extended, at about the time of a renewal.
	 */
	RACING,

	/**
	 * For a while connections are reset time and again, and some cannot be opened.
	 */
	UNSTEADY(Fault.FLICKER),

	/**
	 * Keys have names of one letter, or with blanks, or with what has a meaning
	 * elsewhere; and more locks are released by force.
	 */
	NAMED(Fault.FORCE),

	/**
	 * Each process wants to lead, and does what only the leader may.
	 */
	LEADING;

	private final @Nullable Fault fault;

	Trait() {
		this.fault = null;
	}

	Trait(Fault fault) {
		this.fault = fault;
	}

	/**
	 * Return what else may happen then, apart from the faults of all runs.
	 */
	@Nullable Fault fault() {
		return this.fault;
	}

}
