// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

/**
 * The sequence numbers of the owner ids of a registry. No number is given twice, not even
 * after a restart of the registry: a lease may outlive a stop. Copies of a running
 * process count on from the same number, so the sequence leaps by a random distance when
 * a copy may have been made.
 */
final class OwnerIdSequence {

	private static final String SEPARATOR = ":";

	private static final String RETAINED = SEPARATOR + "0";

	private final AtomicLong last = new AtomicLong();

	private final Platform platform;

	OwnerIdSequence(Platform platform) {
		this.platform = platform;
	}

	/**
	 * Return the next owner id.
	 * @param retained whether its key may be retained when it is released, which others
	 * see by a leading zero
	 */
	String next(String instance, boolean retained) {
		return instance + (retained ? RETAINED : SEPARATOR) + this.last.incrementAndGet();
	}

	/**
	 * Return whether a key that this owner id holds at the store may be retained, and
	 * used by nobody.
	 */
	static boolean mayRetain(@Nullable String ownerId) {
		return ownerId != null && ownerId.startsWith(RETAINED, ownerId.lastIndexOf(SEPARATOR));
	}

	void leap() {
		this.last.addAndGet(1 + this.platform.secureRandom().nextInt(Integer.MAX_VALUE));
	}

}
