// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Knows which server each node is, so that none has two votes. Two addresses may lead to
 * the same server, which is known only when it answers. Thread-safe.
 */
final class Voters {

	private final @Nullable String[] servers;

	// for each node why it must not vote
	private final AtomicReferenceArray<@Nullable String> problems;

	Voters(int nodes) {
		this.servers = new String[nodes];
		this.problems = new AtomicReferenceArray<>(nodes);
	}

	/**
	 * Note which server a node is.
	 * @throws IllegalStateException if another node is the same one
	 */
	synchronized void check(int node, String server) {
		this.servers[node] = null;
		int other = Arrays.asList(this.servers).indexOf(server);
		if (other >= 0) {
			String problem = "node %d and node %d of the quorum are the same server: give each node a server of its own"
				.formatted(Math.min(node, other) + 1, Math.max(node, other) + 1);
			this.problems.set(node, problem);
			throw new IllegalStateException(problem);
		}
		this.problems.set(node, null);
		this.servers[node] = server;
	}

	/**
	 * Return why nothing can be acquired; {@code null} if it can.
	 */
	@Nullable LockStoreException failure(String key) {
		for (int node = 0; node < this.problems.length(); node++) {
			String problem = this.problems.get(node);
			if (problem != null) {
				return new LockStoreException("Cannot acquire %s: %s".formatted(key, problem), false, false, null);
			}
		}
		return null;
	}

}
