// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.lockstarter.store.LockStore.Acquire;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes are known to have the keys that are held here. Thread-safe.
 */
final class HeldKeys {

	private static final int SWEEP_MIN = 1_000;

	private final ConcurrentMap<Id, HeldKey> keys = new ConcurrentHashMap<>();

	private volatile int sweepAbove = SWEEP_MIN;

	/**
	 * Note that a key is held.
	 * @param mine the nodes that granted it
	 * @param sure those of them that nobody has had a later lease from
	 */
	HeldKey add(Acquire command, int mine, int sure, long now) {
		if (this.keys.size() > this.sweepAbove) {
			this.keys.values().removeIf((held) -> held.isOver(now));
			this.sweepAbove = Math.max(SWEEP_MIN, 2 * this.keys.size());
		}
		HeldKey held = new HeldKey(command.mode(), mine, sure, now + command.ttl().toNanos());
		this.keys.put(new Id(command.key(), command.ownerId()), held);
		return held;
	}

	@Nullable HeldKey get(String key, String ownerId) {
		return this.keys.get(new Id(key, ownerId));
	}

	/**
	 * Note that a node released a key by force.
	 * @return whether that ends what was known: no majority can confirm it any more
	 */
	boolean isForced(int node, String key, String ownerId, int majority) {
		HeldKey held = get(key, ownerId);
		return held == null || held.isForced(node, majority);
	}

	/**
	 * Note that a key is not held any more.
	 */
	void remove(String key, String ownerId) {
		HeldKey held = this.keys.remove(new Id(key, ownerId));
		if (held != null) {
			held.end();
		}
	}

	/**
	 * Note that a key is not held any more, unless it was acquired anew since.
	 */
	void remove(String key, String ownerId, HeldKey known) {
		known.end();
		this.keys.remove(new Id(key, ownerId), known);
	}

	private record Id(String key, String ownerId) {

	}

}
