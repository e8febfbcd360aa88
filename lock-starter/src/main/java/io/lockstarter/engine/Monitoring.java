// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;

import io.lockstarter.LockMonitor;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LossCause;
import io.lockstarter.LockMonitor.Reason;
import io.lockstarter.LockMonitor.WaitObserver;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Calls the monitors, and contains what they throw. Does nothing, and allocates nothing,
 * if there are none.
 */
final class Monitoring {

	private static final Log logger = LogFactory.getLog(Monitoring.class);

	private final LockMonitor[] monitors;

	private final Ticker ticker;

	private final LimitedLog failed;

	Monitoring(List<LockMonitor> monitors, Platform platform) {
		this.monitors = monitors.toArray(LockMonitor[]::new);
		this.ticker = platform;
		this.failed = new LimitedLog(logger::error, "more times a lock monitor failed", platform.logTimer());
	}

	boolean isOn() {
		return this.monitors.length > 0;
	}

	/**
	 * An acquirer is about to wait. Not called under a mutex.
	 * @return what to tell of the end of the wait; {@code null} if nobody wants to know
	 */
	@Nullable WaitObserver waiting(String key, String name) {
		WaitObserver all = null;
		for (LockMonitor monitor : this.monitors) {
			try {
				WaitObserver wait = monitor.waiting(key, name);
				if (wait != null) {
					WaitObserver before = all;
					all = (lease, failure) -> {
						if (before != null) {
							before.ended(lease, failure);
						}
						contain(() -> wait.ended(lease, failure));
					};
				}
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}
		return all;
	}

	void acquired(DefaultLease lease, Waiter waiter, boolean handedOn) {
		// Here and below by hand, as a lambda is an object for each call.
		for (LockMonitor monitor : this.monitors) {
			try {
				monitor.acquired(lease, lease.since() - waiter.since(), handedOn);
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}
	}

	/**
	 * The outcome of an acquirer is decided. Of those who want several keys only the
	 * acquirer as a whole counts.
	 */
	void decided(Waiter waiter) {
		if (!isOn() || waiter.kind() != Waiter.Kind.WHOLE) {
			return;
		}
		if (waiter.isBusy()) {
			notAcquired(waiter, Reason.BUSY);
		}
		else if (waiter.failure() != null) {
			notAcquired(waiter, Reason.UNAVAILABLE);
		}
	}

	void gaveUp(Waiter waiter) {
		if (waiter.kind() == Waiter.Kind.WHOLE) {
			notAcquired(waiter, Reason.INTERRUPTED);
		}
	}

	/**
	 * An acquirer of one of several keys gave up.
	 */
	void gaveUp(String key, String name, long since) {
		notAcquired(key, name, Reason.INTERRUPTED, since, List.of());
	}

	/**
	 * An acquirer of several keys got none of them at once, and does not try again.
	 */
	void failedAtOnce(List<String> keys, String name, long since, Throwable failure) {
		if (failure instanceof LockNotAcquiredException busy) {
			notAcquired(busy.key(), name, Reason.BUSY, since, busy.holders());
		}
		else {
			notAcquired(keys.get(0), name, Reason.UNAVAILABLE, since, List.of());
		}
	}

	void released(DefaultLease lease) {
		for (LockMonitor monitor : this.monitors) {
			try {
				monitor.released(lease, this.ticker.nanoTime() - lease.since());
			}
			catch (Throwable ex) {
				failed(ex);
			}
		}
	}

	void lost(DefaultLease lease, LossCause cause) {
		for (LockMonitor monitor : this.monitors) {
			contain(() -> monitor.lost(lease, cause));
		}
	}

	void releaseUnconfirmed(DefaultLease lease) {
		for (LockMonitor monitor : this.monitors) {
			contain(() -> monitor.releaseUnconfirmed(lease));
		}
	}

	/**
	 * A renewal was confirmed. Called before it moves the deadline.
	 */
	void renewed(DefaultLease lease, Ownership ownership) {
		for (LockMonitor monitor : this.monitors) {
			long margin = ownership.deadline() - this.ticker.nanoTime();
			contain(() -> monitor.renewed(lease, margin, ownership.ttl().toNanos(),
					lease.isRenewed(this.ticker.nanoTime()) && ownership.isLate(margin)));
		}
	}

	private void notAcquired(Waiter waiter, Reason reason) {
		notAcquired(waiter.key(), waiter.terms().name(), reason, waiter.since(), waiter.holders());
	}

	private void notAcquired(String key, String name, Reason reason, long since, List<String> holders) {
		for (LockMonitor monitor : this.monitors) {
			contain(() -> monitor.notAcquired(key, name, reason, this.ticker.nanoTime() - since, holders));
		}
	}

	private void contain(Runnable call) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			failed(ex);
		}
	}

	private void failed(Throwable ex) {
		this.failed.writeLater(ex.getClass().getName(), () -> "A lock monitor failed", ex);
	}

}
