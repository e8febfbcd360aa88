// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Knows which server each node is, so that none has two votes. Two addresses may lead to
 * the same server, which is known only when it answers. Thread-safe.
 */
final class Voters {

	private final @Nullable String[] servers;

	// for each node the one that is the same server
	private final @Nullable Integer[] same;

	private volatile @Nullable String problem;

	Voters(int nodes) {
		this.servers = new String[nodes];
		this.same = new Integer[nodes];
	}

	/**
	 * Note which server a node is.
	 * @throws IllegalStateException if another node is the same one
	 */
	synchronized void check(int node, String server) {
		this.servers[node] = null;
		this.same[node] = null;
		for (int other = 0; other < this.servers.length; other++) {
			if (server.equals(this.servers[other])) {
				this.same[node] = other;
			}
		}
		this.problem = describe();
		if (this.same[node] != null) {
			throw new IllegalStateException(String.valueOf(this.problem));
		}
		this.servers[node] = server;
	}

	private @Nullable String describe() {
		for (int node = 0; node < this.same.length; node++) {
			Integer other = this.same[node];
			if (other != null) {
				return "node %d and node %d of the quorum are the same server: give each node a server of its own"
					.formatted(Math.min(node, other) + 1, Math.max(node, other) + 1);
			}
		}
		return null;
	}

	/**
	 * Return why nothing can be acquired; {@code null} if it can.
	 */
	@Nullable LockStoreException failure(String key) {
		String found = this.problem;
		return (found != null)
				? new LockStoreException("Cannot acquire %s: %s".formatted(key, found), false, false, null) : null;
	}

}
