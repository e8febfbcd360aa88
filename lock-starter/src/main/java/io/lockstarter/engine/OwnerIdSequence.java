// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.atomic.AtomicLong;

import io.lockstarter.platform.Platform;

/**
 * The sequence numbers of the owner ids of a registry. No number is given twice, not even
 * after a restart of the registry: a lease may outlive a stop. Copies of a running
 * process count on from the same number, so the sequence leaps by a random distance when
 * a copy may have been made.
 */
final class OwnerIdSequence {

	private static final String SEPARATOR = ":";

	private final AtomicLong last = new AtomicLong();

	private final Platform platform;

	OwnerIdSequence(Platform platform) {
		this.platform = platform;
	}

	/**
	 * Return the next owner id.
	 */
	String next(String instance) {
		return instance.concat(SEPARATOR + this.last.incrementAndGet());
	}

	void leap() {
		this.last.addAndGet(1 + this.platform.secureRandom().nextInt(Integer.MAX_VALUE));
	}

}
