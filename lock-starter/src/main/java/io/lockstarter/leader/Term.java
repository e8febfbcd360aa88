// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import org.jspecify.annotations.Nullable;

/**
 * One time for which an instance leads, and the critical sections that run in it. Once it
 * has ended none begins.
 */
final class Term {

	private final Lease lease;

	private final CompletableFuture<Void> idle = new CompletableFuture<>();

	private int sections;

	private boolean ended;

	Term(Lease lease) {
		this.lease = lease;
	}

	Lease lease() {
		return this.lease;
	}

	/**
	 * Begin a section, unless the term is over.
	 */
	synchronized @Nullable Section enter() {
		if (this.ended || !this.lease.isValid()) {
			return null;
		}
		this.sections++;
		return new Section(this.lease, this::leave);
	}

	/**
	 * End the term.
	 * @return completes when all sections have ended
	 */
	CompletableFuture<Void> end() {
		boolean last;
		synchronized (this) {
			this.ended = true;
			last = this.sections == 0;
		}
		return completeIf(last);
	}

	private void leave() {
		boolean last;
		synchronized (this) {
			this.sections--;
			last = this.ended && this.sections == 0;
		}
		var unused = completeIf(last);
	}

	// Without the monitor, as what depends on it goes on to release the lease.
	private CompletableFuture<Void> completeIf(boolean last) {
		if (last) {
			this.idle.complete(null);
		}
		return this.idle;
	}

}
