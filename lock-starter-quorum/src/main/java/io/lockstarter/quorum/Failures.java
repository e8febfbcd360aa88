// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

import io.lockstarter.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Why nodes gave no answer to a command. Not thread-safe.
 */
final class Failures {

	private final StringBuilder reasons = new StringBuilder();

	private boolean outcomeUnknown;

	private boolean passes;

	private int count;

	void add(int node, @Nullable Throwable failure) {
		Throwable cause = causeOf(failure);
		LockStoreException known = (cause instanceof LockStoreException store) ? store : null;
		this.outcomeUnknown |= isOutcomeUnknown(failure);
		this.passes |= known == null || known.isTransient();
		this.reasons.append((this.count == 0) ? "" : "; ").append("node ").append(node + 1).append(": ");
		this.reasons.append(
				(cause == null || cause instanceof CancellationException) ? "no answer in time" : cause.getMessage());
		this.count++;
	}

	int count() {
		return this.count;
	}

	/**
	 * Return whether a command that failed may have had an effect.
	 */
	static boolean isOutcomeUnknown(@Nullable Throwable failure) {
		Throwable cause = causeOf(failure);
		return !(cause instanceof LockStoreException known) || known.isOutcomeUnknown();
	}

	private static @Nullable Throwable causeOf(@Nullable Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/**
	 * Return the failure of the whole command.
	 * @param unknown whether it may have had an effect at nodes that did not fail
	 */
	LockStoreException toException(String verb, String key, int nodes, boolean unknown) {
		return new LockStoreException(
				"Cannot %s %s: no majority of the %d servers answered: %s".formatted(verb, key, nodes,
						(this.count == 0) ? "the time is over" : this.reasons),
				unknown || this.outcomeUnknown, this.passes || this.count == 0, null);
	}

}
