// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Remembers the owner ids that lost a key by force, the last thousand of them: nobody
 * asks for one for longer than its ttl. Thread-safe.
 */
final class ForcedOwners {

	private static final int MOST = 1000;

	private final Set<String> ownerIds = new LinkedHashSet<>();

	// every acquisition asks
	private volatile boolean any;

	synchronized void add(String ownerId) {
		this.any = true;
		this.ownerIds.add(ownerId);
		if (this.ownerIds.size() > MOST) {
			this.ownerIds.remove(this.ownerIds.iterator().next());
		}
	}

	boolean contains(String ownerId) {
		return this.any && isAmong(ownerId);
	}

	private synchronized boolean isAmong(String ownerId) {
		return this.ownerIds.contains(ownerId);
	}

}
