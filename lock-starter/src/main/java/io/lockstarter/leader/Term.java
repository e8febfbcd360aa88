// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * One time for which an instance leads, and the critical sections that run in it. Once it
 * has ended none begins, and it is released when the listeners were notified and, unless
 * its lease is lost, those that run have ended.
 */
final class Term {

	private final Lease lease;

	private final Runnable changed;

	private final Set<Section> sections = new LinkedHashSet<>();

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	private @Nullable RevocationCause cause;

	private boolean notified;

	private @Nullable CompletableFuture<Void> closed;

	/**
	 * Create a term.
	 * @param changed called when a term that has ended may be released
	 */
	Term(Lease lease, Runnable changed) {
		this.lease = lease;
		this.changed = changed;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Return what whoever released the term completes.
	 */
	CompletableFuture<Void> released() {
		return this.released;
	}

	/**
	 * Begin a section, unless the term is over.
	 */
	synchronized @Nullable Section enter() {
		if (this.cause != null || !this.lease.isValid()) {
			return null;
		}
		Section section = new Section(this.lease, this::leave);
		this.sections.add(section);
		return section;
	}

	private void leave(Section section) {
		boolean last;
		synchronized (this) {
			this.sections.remove(section);
			last = this.cause != null && this.sections.isEmpty();
		}
		// Without the monitor, as what depends on it goes on to release the lease.
		if (last) {
			this.changed.run();
		}
	}

	/**
	 * Expect no end of the sections that the current thread runs: it waits.
	 */
	synchronized void excuseOwnSections() {
		this.sections.removeIf(LockScope::covers);
	}

	synchronized void end(RevocationCause reason) {
		this.cause = reason;
	}

	synchronized void notified() {
		this.notified = true;
	}

	/**
	 * Release the lease of a term that has ended, as soon as that may be.
	 * @return whether it is released
	 */
	boolean release() {
		if (!isReleasable()) {
			return false;
		}
		CompletableFuture<Void> closing = this.closed;
		if (closing == null) {
			closing = this.lease.closeAsync();
			this.closed = closing;
			var unused = closing.whenComplete((none, failure) -> this.changed.run());
		}
		return closing.isDone();
	}

	private synchronized boolean isReleasable() {
		return this.notified && this.cause != null && (this.cause.isLoss() || this.sections.isEmpty());
	}

}
