// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;

import io.lockstarter.LockNotAcquiredException.Details;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a key that is busy.
 *
 * @param holder the owner id, if known
 * @param lease the lease, if it is one of this instance
 * @param since when it was granted here, or when the store named the holder for the first
 * time
 * @param kept whether the holder may have released it before its minimum hold is over:
 * whoever asks has one, too, and nobody here has a lease
 * @param others how many others wait for it here
 */
record BusyKey(@Nullable String holder, @Nullable DefaultLease lease, long since, boolean kept, int others) {

	/**
	 * Describe the key.
	 * @param heldByOuterCall whether an outer call of the acquirer has it
	 */
	Details details(Duration waited, String instance, boolean heldByOuterCall, long now) {
		String description = describe(instance, heldByOuterCall, now);
		if (this.holder == null) {
			return new Details(waited, List.of(), List.of(), null, this.others, description);
		}
		Thread thread = (this.lease != null) ? this.lease.thread() : null;
		return new Details(waited, List.of(this.holder),
				(thread != null) ? List.of(HolderThread.name(thread)) : List.of(), Duration.ofNanos(now - this.since),
				this.others, description);
	}

	String describe(String instance, boolean heldByOuterCall, long now) {
		StringBuilder text = new StringBuilder();
		String heldBy = this.kept ? "held, or kept for its minimum hold, by " : "held by ";
		long heldFor = Duration.ofNanos(now - this.since).toMillis();
		if (this.holder == null) {
			text.append("holder unknown");
		}
		else if (this.holder.startsWith(instance + ":")) {
			text.append(heldBy).append("this instance (").append(PrintableText.of(this.holder)).append(')');
			if (heldByOuterCall) {
				text.append(", and that by an outer call of this one, which cannot end before it");
			}
			if (this.lease != null && this.lease.isActive()) {
				text.append(", ").append(HolderThread.describe(this.lease.thread()));
				text.append(", for ").append(heldFor).append(" ms");
			}
		}
		else {
			text.append(heldBy).append(PrintableText.of(this.holder));
			if (heldFor > 0) {
				text.append(", for at least ").append(heldFor).append(" ms");
			}
		}
		if (this.others > 0) {
			text.append("; ").append(this.others).append((this.others == 1) ? " other waits" : " others wait");
			text.append(" for it in this instance");
		}
		return text.toString();
	}

}
