package io.lockstarter.interceptor;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.OnLost;
import org.jspecify.annotations.Nullable;

/**
 * Watches over the leases of a running method, and interrupts its thread on request. An
 * interrupt that the method did not notice does not outlive it.
 */
final class LossWatch {

	private final LockScope scope;

	private final Thread thread = Thread.currentThread();

	private boolean running = true;

	private boolean interrupted;

	private LossWatch(LockScope scope) {
		this.scope = scope;
	}

	static LossWatch start(OnLost onLost, LockScope scope) {
		LossWatch watch = new LossWatch(scope);
		if (onLost == OnLost.INTERRUPT) {
			for (Lease lease : scope.leases()) {
				lease.onLost((cause) -> watch.interrupt());
			}
		}
		return watch;
	}

	private synchronized void interrupt() {
		if (this.running) {
			this.interrupted = true;
			this.thread.interrupt();
		}
	}

	/**
	 * The method has ended.
	 * @return the loss of a lease, if any
	 */
	@Nullable LockLostException end() {
		synchronized (this) {
			this.running = false;
			if (this.interrupted) {
				Thread.interrupted();
			}
		}
		try {
			this.scope.checkValid();
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

}
