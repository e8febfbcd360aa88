// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Compares what a process believes of the servers of a quorum that have a key with what
 * they have, as long as nothing keeps it from them: it knows of each vote soon, and gets
 * one that is missing with a renewal.
 */
public final class VoteChecks {

	/**
	 * How long it takes to hear of what a server has done.
	 */
	private static final long HEARD = 2 * Checks.SLACK;

	private final LongSupplier now;

	private final Checks checks;

	// since when something is not as it is to be
	private Map<Wrong, Long> since = Map.of();

	private final Map<Wrong, Long> found = new HashMap<>();

	// which servers had each lease when it was looked at last
	private Map<Grant, Had> had = Map.of();

	private final Map<Grant, Had> having = new HashMap<>();

	// up to when a server takes no locks
	private long refusing = Long.MIN_VALUE;

	// up to when each server that lost its memory grants nothing
	private final Map<String, Long> abstaining = new HashMap<>();

	VoteChecks(LongSupplier now, Checks checks) {
		this.now = now;
		this.checks = checks;
	}

	/**
	 * Note that a server takes no locks up to an instant.
	 */
	void refuses(long until) {
		this.refusing = Math.max(this.refusing, until);
	}

	/**
	 * Note that a server has lost its memory, and grants no locks up to an instant.
	 */
	void emptied(String server, long until) {
		this.abstaining.put(server, until);
	}

	/**
	 * Note that nobody knows any more up to when a server grants nothing: its clock was
	 * set, by which it counts, or it has again what it had before it lost its memory.
	 */
	void maybeGrants(String server) {
		this.abstaining.remove(server);
	}

	/**
	 * Check that a server has granted nothing since it lost its memory.
	 */
	void look(String key, LockState state) {
		Long until = this.abstaining.get(state.server());
		if (until != null && this.now.getAsLong() < until && !state.holders().isEmpty()) {
			this.checks.violated(Rule.UNPROTECTED, "%s has lost its memory, and grants %s to %s all the same"
				.formatted(state.server(), key, state.holders().keySet()));
		}
	}

	/**
	 * Look at a lease that is held.
	 * @param votes what its process believes; {@code null} if it believes nothing
	 * @param states what each server has
	 */
	void look(Grant grant, @Nullable Votes votes, List<LockState> states) {
		if (votes == null) {
			note(grant, "no server is known to have it", -1, HEARD);
			return;
		}
		long ttl = grant.lease.ttl();
		boolean renewed = grant.lease.isRenewed();
		if (grant.shared && !grant.maybeAlone && !votes.shared) {
			note(grant, "is not known to be shared", -1, HEARD);
		}
		checkCounts(grant, votes, states);
		for (int node = 0; node < states.size(); node++) {
			LockState state = states.get(node);
			boolean has = state.holders().containsKey(grant.lease.ownerId());
			boolean mine = (votes.mine & 1 << node) != 0;
			boolean sure = (votes.sure & 1 << node) != 0;
			if (sure && !mine) {
				note(grant, "is certain to have it, and does not", node, HEARD);
			}
			if (has && !mine) {
				note(grant, "has it, and is not known to", node, HEARD);
			}
			if (has && grant.shared && !grant.maybeAlone && !state.shared() && renewed) {
				note(grant, "does not let others share it", node, ttl);
			}
			if (has && mine && grant.shared && state.shared() && (votes.unshared & 1 << node) != 0 && renewed) {
				// One that took it again to be shared is told so with the next renewal.
				note(grant, "lets others share it, and is not known to", node, ttl);
			}
			if (state.grants() && renewed) {
				if (!has && mine) {
					note(grant, "is known to have it, and does not", node, ttl);
				}
				if (!has && !state.taken() && this.now.getAsLong() > this.refusing) {
					note(grant, "does not get it again", node, ttl + Waiting.RESERVATION);
				}
			}
			if (has && mine && !sure && renewed) {
				note(grant, "has had it for long, and does not count", node, ttl);
			}
		}
	}

	/**
	 * Check that a server which lost the lock, and got it again, does not count at once:
	 * others may have had it in between.
	 */
	private void checkCounts(Grant grant, Votes votes, List<LockState> states) {
		Had before = this.had.getOrDefault(grant, new Had(grant.lease.deadline(), 0, 0));
		int has = 0;
		for (int node = 0; node < states.size(); node++) {
			has |= states.get(node).holders().containsKey(grant.lease.ownerId()) ? 1 << node : 0;
		}
		int again = has & before.lost & votes.sure;
		if (again != 0 && before.deadline == grant.lease.deadline()
				&& !this.checks.isDisturbedSince(grant.holder, grant.since)) {
			this.checks.violated(Rule.VOTES,
					"%s: servers %s lost it, and count at once".formatted(grant, Integer.toBinaryString(again)));
		}
		this.having.put(grant, new Had(grant.lease.deadline(), before.ever | has, before.ever & ~has));
	}

	private void note(Grant grant, String what, int node, long longest) {
		Wrong wrong = new Wrong(grant, what, node);
		long time = this.now.getAsLong();
		long since = this.since.getOrDefault(wrong, time);
		this.found.put(wrong, since);
		if (time - since > longest && grant.clock.runsSince() <= since
				&& !this.checks.isDisturbedSince(grant.holder, Math.min(since, grant.since))) {
			this.checks.violated(Rule.VOTES,
					"%s: server %d %s, since %s".formatted(grant, node, what, World.time(since)));
		}
	}

	/**
	 * Note that all leases were looked at.
	 */
	void looked() {
		if (!this.had.isEmpty() || !this.having.isEmpty()) {
			this.had = new HashMap<>(this.having);
			this.having.clear();
		}
		if (!this.since.isEmpty() || !this.found.isEmpty()) {
			this.since = new HashMap<>(this.found);
			this.found.clear();
		}
	}

	/**
	 * Which servers are believed to have a key, as bits.
	 *
	 * @param mine those that have it
	 * @param sure those that have had it all the time
	 * @param unshared those that may not know that it is shared
	 * @param shared whether it is shared
	 */
	public record Votes(int mine, int sure, int unshared, boolean shared) {

	}

	/**
	 * Which servers have a lease.
	 *
	 * @param deadline the deadline then
	 * @param ever those that ever had it
	 * @param lost those that had it before
	 */
	private record Had(long deadline, int ever, int lost) {

	}

	private record Wrong(Grant grant, String what, int node) {

	}

}
