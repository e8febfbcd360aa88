// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether something is so: once each time that changes, and in the order in which
 * it did, whoever says so. Whoever changes it notes that within the lock that guards it,
 * and tells it without one. Thread-safe.
 */
public final class StateChanges {

	private final Consumer<Boolean> told;

	private final Queue<Boolean> changes = new ArrayDeque<>();

	private @Nullable Boolean last;

	private boolean telling;

	/**
	 * Create changes.
	 * @param known what is known before; {@code null} if nothing is, so that the first
	 * state is told in any case
	 * @param told told of each change, by one thread at a time
	 */
	public StateChanges(@Nullable Boolean known, Consumer<Boolean> told) {
		this.last = known;
		this.told = told;
	}

	/**
	 * Note what is so from now on.
	 * @param state the state
	 */
	public synchronized void note(boolean state) {
		if (!Boolean.valueOf(state).equals(this.last)) {
			this.last = state;
			this.changes.add(state);
		}
	}

	/**
	 * Tell what was noted. If a thread is telling something else at the moment, that one
	 * tells this, too. Throws what was thrown first when all is told.
	 */
	public void tell() {
		if (!begin()) {
			return;
		}
		Throwable failed = null;
		for (Boolean next = next(); next != null; next = next()) {
			try {
				this.told.accept(next);
			}
			catch (RuntimeException | Error ex) {
				// Others may have left theirs to this thread.
				failed = (failed != null) ? failed : ex;
			}
		}
		if (failed instanceof RuntimeException failure) {
			throw failure;
		}
		if (failed instanceof Error error) {
			throw error;
		}
	}

	private synchronized boolean begin() {
		boolean first = !this.telling && !this.changes.isEmpty();
		this.telling |= first;
		return first;
	}

	private synchronized @Nullable Boolean next() {
		Boolean next = this.changes.poll();
		this.telling = next != null;
		return next;
	}

}
