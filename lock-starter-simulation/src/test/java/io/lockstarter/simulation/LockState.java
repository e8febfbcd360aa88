// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.Map;
import java.util.Set;

/**
 * What a server has of a lock.
 *
 * @param server its name
 * @param memory changes whenever the server begins with what it, or another one, had
 * before
 * @param grants whether it would grant the lock to somebody; if not, it excludes as much
 * as whoever holds it
 * @param rate how fast its clock goes
 * @param shared whether those who hold it share it
 * @param holders up to when in the time of the world the server has it for each owner id
 * @param waiting the instances in its queue
 * @param taken whether the lock is there: for somebody, kept, reserved, or without those
 * who shared it, whose names vanished
 */
record LockState(String server, String memory, boolean grants, double rate, boolean shared, Map<String, Long> holders,
		Set<String> waiting, boolean taken) {

	/**
	 * The part of a ttl by which clocks may differ.
	 */
	private static final double DRIFT = 0.01;

	/**
	 * By how much less a lease is held, as a server counts in milliseconds; it may round
	 * down by another one.
	 */
	private static final long GRAIN = World.MILLI;

	/**
	 * Create the state of a lock that is there if somebody has it.
	 */
	LockState(String server, String memory, boolean grants, double rate, boolean shared, Map<String, Long> holders,
			Set<String> waiting) {
		this(server, memory, grants, rate, shared, holders, waiting, !holders.isEmpty());
	}

	/**
	 * Return whether a lease excludes others here, up to its deadline and the margin
	 * after it at least, as if it had been confirmed now.
	 */
	boolean protects(Grant grant, long now) {
		Long until = this.holders.get(grant.lease.ownerId());
		return !this.grants || (until != null && isWithin(grant, until - now) && (grant.shared || !this.shared));
	}

	private boolean isWithin(Grant grant, long left) {
		double counted = left * this.rate;
		return grant.lease.deadline() - grant.clock.nanoTime() <= counted - counted * DRIFT - GRAIN;
	}

}
