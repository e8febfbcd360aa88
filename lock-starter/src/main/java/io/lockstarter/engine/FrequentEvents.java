// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockBusyEvent;
import io.lockstarter.LockListener;
import io.lockstarter.LockMonitor;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Timer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells listeners of each lock that is acquired, stays busy or is released. They have a
 * thread and a bounded queue of their own, so that a slow one delays neither the report
 * of a loss nor an acquirer, and takes no more memory than the queue does.
 */
final class FrequentEvents implements LockMonitor {

	private static final Log logger = LogFactory.getLog(FrequentEvents.class);

	private final LimitedLog dropped;

	private final LimitedLog failed;

	private final List<LockListener> listeners;

	private final Executor executor;

	private FrequentEvents(List<LockListener> listeners, Executor executor, Timer logTimer) {
		this.listeners = listeners;
		this.executor = executor;
		this.dropped = new LimitedLog(logger::warn, "more events were dropped, as the listeners are too slow",
				logTimer);
		this.failed = new LimitedLog(logger::error, "more times a lock listener failed", logTimer);
	}

	/**
	 * Create the monitor that tells those listeners who implement a frequent method.
	 * @param executor runs them one after the other; what it rejects is dropped
	 * @param logTimer writes what is logged later
	 * @return the monitor; {@code null} if nobody is interested
	 */
	static @Nullable LockMonitor of(List<LockListener> listeners, Executor executor, Timer logTimer) {
		List<LockListener> interested = listeners.stream()
			.filter((listener) -> isInterested(listener.getClass()))
			.toList();
		return interested.isEmpty() ? null : new FrequentEvents(interested, executor, logTimer);
	}

	static boolean isInterested(Class<?> type) {
		return overrides(type, "acquired", LeaseInfo.class, Duration.class)
				|| overrides(type, "busy", LockBusyEvent.class)
				|| overrides(type, "released", LeaseInfo.class, Duration.class);
	}

	private static boolean overrides(Class<?> type, String method, Class<?>... parameters) {
		try {
			return type.getMethod(method, parameters).getDeclaringClass() != LockListener.class;
		}
		catch (NoSuchMethodException ex) {
			// In a native image, of a class whose methods nobody may look up.
			return true;
		}
	}

	@Override
	public void acquired(Lease lease, long waited, boolean handedOn) {
		tell(lease.key(), (listener) -> listener.acquired(lease, Duration.ofNanos(waited)));
	}

	@Override
	public void notAcquired(String key, String name, Reason reason, long waited, List<String> holders) {
		if (reason == Reason.BUSY) {
			tell(key, (listener) -> listener.busy(new LockBusyEvent(key, name, Duration.ofNanos(waited), holders)));
		}
	}

	@Override
	public void released(Lease lease, long held) {
		tell(lease.key(), (listener) -> listener.released(lease, Duration.ofNanos(held)));
	}

	private void tell(String key, Consumer<LockListener> event) {
		try {
			this.executor.execute(() -> this.listeners
				.forEach((listener) -> Events.contain(() -> event.accept(listener), this.failed)));
		}
		catch (RejectedExecutionException ex) {
			this.dropped.writeLater(key,
					() -> "An event of lock '%s' was dropped, as the lock listeners are too slow: ".formatted(key)
							+ "hand work that takes time to an executor",
					null);
		}
	}

}
