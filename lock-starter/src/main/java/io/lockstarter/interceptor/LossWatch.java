// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.List;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.interceptor.async.Leases;
import org.jspecify.annotations.Nullable;

/**
 * Listens for the loss of a lease while a method runs, and interrupts its thread if the
 * annotation says so. An interrupt that the method did not notice is cleared when it
 * ends, unless a method further outside is to be interrupted as well.
 */
final class LossWatch {

	private static final ThreadLocal<@Nullable LossWatch> INTERRUPTING = new ThreadLocal<>();

	private final LockScope scope;

	private final List<Lease.Registration> registrations = new ArrayList<>();

	private final Thread thread = Thread.currentThread();

	private final @Nullable LossWatch outer;

	private boolean running = true;

	private boolean interrupted;

	private LossWatch(LockScope scope, @Nullable LossWatch outer) {
		this.scope = scope;
		this.outer = outer;
	}

	static LossWatch start(OnLost onLost, LockScope scope) {
		if (onLost != OnLost.INTERRUPT) {
			return new LossWatch(scope, null);
		}
		LossWatch outer = INTERRUPTING.get();
		LossWatch watch = new LossWatch(scope, outer);
		INTERRUPTING.set(watch);
		for (Lease lease : scope.leases()) {
			// An outer section of the same lease that is interrupted itself is enough.
			if (outer == null || !outer.covers(lease)) {
				watch.registrations.add(lease.onLost((cause) -> watch.interrupt()));
			}
		}
		return watch;
	}

	/**
	 * The method has ended.
	 * @return the loss of a lease, if any
	 */
	@Nullable LockLostException end() {
		this.registrations.forEach(Lease.Registration::close);
		if (INTERRUPTING.get() == this) {
			if (this.outer != null) {
				INTERRUPTING.set(this.outer);
			}
			else {
				INTERRUPTING.remove();
			}
		}
		if (stop()) {
			Thread.interrupted();
			if (this.outer != null && this.outer.isInterrupted()) {
				this.thread.interrupt();
			}
		}
		return Leases.lossOf(this.scope);
	}

	private boolean covers(Lease lease) {
		return this.scope.leases().contains(lease) || (this.outer != null && this.outer.covers(lease));
	}

	private synchronized void interrupt() {
		if (this.running) {
			this.interrupted = true;
			this.thread.interrupt();
		}
	}

	private synchronized boolean stop() {
		this.running = false;
		return this.interrupted;
	}

	private synchronized boolean isInterrupted() {
		return this.interrupted || (this.outer != null && this.outer.isInterrupted());
	}

}
