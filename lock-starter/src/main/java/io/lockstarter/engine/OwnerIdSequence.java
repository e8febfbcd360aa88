package io.lockstarter.engine;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The sequence numbers of the owner ids of a registry. No number is given twice, not even
 * after a restart of the registry: a lease may outlive a stop. Copies of a running
 * process count on from the same number, so the sequence leaps by a random distance when
 * a copy may have been made.
 */
final class OwnerIdSequence {

	private final AtomicLong last = new AtomicLong();

	long next() {
		return this.last.incrementAndGet();
	}

	void leap() {
		this.last.addAndGet(1 + new SecureRandom().nextInt(Integer.MAX_VALUE));
	}

}
