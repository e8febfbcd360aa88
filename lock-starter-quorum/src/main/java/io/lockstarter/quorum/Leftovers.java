// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Keys that nodes may have although nobody wants them there any more: a command to give
 * one back was not answered, or may have come before the one that acquired it. They are
 * given back again and again, until the ttl has passed, or until a node answered whose
 * connection was not replaced lately: no other command may follow there. Thread-safe.
 */
final class Leftovers {

	private static final int MOST = 10_000;

	private static final int AT_ONCE = 500;

	private static final long SHORTEST_PAUSE = Duration.ofMillis(250).toNanos();

	private static final long LONGEST_PAUSE = Duration.ofSeconds(4).toNanos();

	private final Electorate electorate;

	private final GiveBack giveBack;

	// the eldest is forgotten
	private final Map<Id, Leftover> keys = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<Id, Leftover> eldest) {
			return size() > MOST;
		}

	};

	private boolean scheduled;

	Leftovers(Electorate electorate, GiveBack giveBack) {
		this.electorate = electorate;
		this.giveBack = giveBack;
	}

	/**
	 * Note that a node may have a key.
	 * @param until when its ttl has passed
	 */
	synchronized void add(int node, String key, String ownerId, long until) {
		long now = this.electorate.nanoTime();
		this.keys.merge(new Id(node, key, ownerId), new Leftover(until, now + SHORTEST_PAUSE, SHORTEST_PAUSE),
				(before, after) -> before.until(until));
		schedule();
	}

	/**
	 * Forget a key, as a node does not have it any more, or as the owner id wants it
	 * again.
	 */
	synchronized void remove(int node, String key, String ownerId) {
		this.keys.remove(new Id(node, key, ownerId));
		schedule();
	}

	synchronized boolean contains(int node, String key, String ownerId) {
		return this.keys.containsKey(new Id(node, key, ownerId));
	}

	synchronized int size() {
		return this.keys.size();
	}

	private void schedule() {
		if (this.scheduled || this.keys.isEmpty()) {
			return;
		}
		try {
			this.electorate.timer().schedule(this::sweep, SHORTEST_PAUSE);
			this.scheduled = true;
		}
		catch (RuntimeException | Error ex) {
			// No thread, for a moment: the next command of any key tries it again.
		}
	}

	private void sweep() {
		takeDue().forEach((id) -> this.giveBack.abandon(id.node(), id.key(), id.ownerId()));
	}

	private synchronized List<Id> takeDue() {
		long now = this.electorate.nanoTime();
		List<Id> due = new ArrayList<>();
		Iterator<Map.Entry<Id, Leftover>> all = this.keys.entrySet().iterator();
		while (all.hasNext() && due.size() < AT_ONCE) {
			Map.Entry<Id, Leftover> next = all.next();
			Leftover leftover = next.getValue();
			if (now - leftover.until >= 0) {
				all.remove();
			}
			else if (now - leftover.dueAt >= 0 && this.electorate.isConnected(next.getKey().node())) {
				due.add(next.getKey());
				long pause = Math.min(LONGEST_PAUSE, 2 * leftover.pause);
				next.setValue(new Leftover(leftover.until, now + pause, pause));
			}
		}
		this.scheduled = false;
		schedule();
		return due;
	}

	/**
	 * Tries to give a key back. If that was answered, and no other command may follow, it
	 * is removed.
	 */
	@FunctionalInterface
	interface GiveBack {

		void abandon(int node, String key, String ownerId);

	}

	private record Id(int node, String key, String ownerId) {

	}

	private record Leftover(long until, long dueAt, long pause) {

		Leftover until(long atLeast) {
			return new Leftover(Math.max(this.until, atLeast), this.dueAt, this.pause);
		}

	}

}
