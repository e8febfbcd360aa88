// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockBusyEvent;
import io.lockstarter.LockListener;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockMonitor.Reason;
import io.lockstarter.LockMonitor.WaitObserver;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.SerialExecutor;

/**
 * Tells monitors, listeners and loss actions what happened, and contains what they throw.
 * Monitors are called at once. A listener is called for one event at a time, in their
 * order; it waits neither for other listeners nor for loss actions, nor do these wait for
 * it. Of each lock that is acquired, stays busy or is released those listeners are told
 * that want to know, through a bounded queue: a slow one delays neither the report of a
 * loss nor an acquirer, and takes no more memory than the queue does.
 */
final class News {

	private static final Log logger = LogFactory.getLog(News.class);

	private static final long FLUSHED_WITHIN = TimeUnit.SECONDS.toNanos(1);

	private static final long SET_BACK_TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

	private static final int SET_BACK_TOLD_KEYS = 10;

	private final LimitedLog listenerFailed;

	private final LimitedLog monitorFailed;

	private final LimitedLog dropped;

	private final LockMonitor[] monitors;

	private final List<Told> listeners = new ArrayList<>();

	private final List<LockListener> interested = new ArrayList<>();

	private final Executor callbacks;

	private final Executor frequent;

	private final Platform platform;

	private final AtomicLong setBackAgainAt = new AtomicLong();

	private final Set<String> toldSetBack = ConcurrentHashMap.newKeySet();

	/**
	 * Create news for some.
	 * @param frequent calls listeners that want to be told of each lock, one after the
	 * other; what it rejects is dropped
	 */
	News(List<LockListener> listeners, List<LockMonitor> monitors, Executor frequent, Timing timing) {
		this.platform = timing.platform();
		this.callbacks = timing.callbacks();
		this.frequent = frequent;
		this.monitors = monitors.toArray(new LockMonitor[0]);
		for (LockListener listener : listeners) {
			this.listeners.add(new Told(listener, new SerialExecutor(this.callbacks, Integer.MAX_VALUE)));
			if (isInterested(listener.getClass())) {
				this.interested.add(listener);
			}
		}
		this.listenerFailed = LimitedLog.errors(logger, "more times a lock listener failed", this.platform.logTimer());
		this.monitorFailed = LimitedLog.errors(logger, "more times a lock monitor failed", this.platform.logTimer());
		this.dropped = LimitedLog.warnings(logger, "more events were dropped, as the listeners are too slow",
				this.platform.logTimer());
	}

	/**
	 * Return whether a listener is told of each lock: it implements one of the frequent
	 * methods.
	 */
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

	// What happens to acquirers

	boolean isWatched() {
		return this.monitors.length > 0;
	}

	/**
	 * An acquirer is about to wait. Not called under a mutex.
	 * @return what to tell of the end of the wait; {@code null} if nobody wants to know
	 */
	@Nullable WaitObserver waiting(String key, String name) {
		if (!isWatched()) {
			return null;
		}
		List<WaitObserver> waits = new ArrayList<>(this.monitors.length);
		tellMonitors((monitor) -> {
			WaitObserver wait = monitor.waiting(key, name);
			if (wait != null) {
				waits.add(wait);
			}
		});
		return waits.isEmpty() ? null : (lease, failure) -> waits
			.forEach((wait) -> contain(() -> wait.ended(lease, failure), this.monitorFailed, "A lock monitor failed"));
	}

	void acquired(DefaultLease lease, Waiter waiter, boolean handedOn) {
		// Here and below, as what is told to nobody is to allocate nothing.
		if (isWatched()) {
			tellMonitors((monitor) -> monitor.acquired(lease, lease.since() - waiter.since(), handedOn));
		}
		if (!this.interested.isEmpty()) {
			tellInterested(lease.key(), waiter.since(), (listener, waited) -> listener.acquired(lease, waited));
		}
	}

	/**
	 * The outcome of an acquirer is decided. Of those who want several keys only the
	 * acquirer as a whole counts.
	 */
	void decided(Waiter waiter) {
		if (waiter.kind() != Waiter.Kind.WHOLE) {
			return;
		}
		if (waiter.isBusy()) {
			notAcquired(waiter, Reason.BUSY);
		}
		else if (waiter.failure() != null) {
			notAcquired(waiter, Reason.UNAVAILABLE);
		}
	}

	/**
	 * An acquirer of one key gave up.
	 */
	void gaveUp(Waiter waiter) {
		notAcquired(waiter, Reason.INTERRUPTED);
	}

	/**
	 * An acquirer of one of several keys gave up.
	 */
	void gaveUp(String key, String name, long since) {
		notAcquired(key, name, Reason.INTERRUPTED, since, List.of());
	}

	/**
	 * An acquirer of one of several keys, or of all of them, could not have them.
	 */
	void failed(String key, String name, long since, Throwable failure) {
		if (failure instanceof LockNotAcquiredException busy) {
			notAcquired(busy.key(), name, Reason.BUSY, since, busy.holders());
		}
		else {
			notAcquired(key, name, Reason.UNAVAILABLE, since, List.of());
		}
	}

	private void notAcquired(Waiter waiter, Reason reason) {
		notAcquired(waiter.key(), waiter.terms().name(), reason, waiter.since(), waiter.holders());
	}

	private void notAcquired(String key, String name, Reason reason, long since, List<String> holders) {
		tellMonitors((monitor) -> monitor.notAcquired(key, name, reason, this.platform.nanoTime() - since, holders));
		if (reason == Reason.BUSY && !this.interested.isEmpty()) {
			tellInterested(key, since,
					(listener, waited) -> listener.busy(new LockBusyEvent(key, name, waited, holders)));
		}
	}

	// What happens to leases

	void released(DefaultLease lease) {
		if (isWatched()) {
			tellMonitors((monitor) -> monitor.released(lease, this.platform.nanoTime() - lease.since()));
		}
		if (!this.interested.isEmpty()) {
			tellInterested(lease.key(), lease.since(), (listener, held) -> listener.released(lease, held));
		}
	}

	void lost(DefaultLease lease, LossCause cause, List<Consumer<LossCause>> actions) {
		actions.forEach((action) -> run(() -> action.accept(cause)));
		tellMonitors((monitor) -> monitor.lost(lease, cause));
		tell((listener) -> listener.lost(lease, cause));
	}

	void releaseUnconfirmed(DefaultLease lease, LockStoreException failure) {
		tellMonitors((monitor) -> monitor.releaseUnconfirmed(lease));
		tell((listener) -> listener.releaseUnconfirmed(lease, failure));
	}

	/**
	 * A renewal was confirmed. Called before it moves the deadline.
	 */
	void renewed(DefaultLease lease, Ownership ownership) {
		tellMonitors((monitor) -> {
			long now = this.platform.nanoTime();
			long margin = ownership.deadline() - now;
			monitor.renewed(lease, margin, ownership.ttl().toNanos(), lease.isRenewed(now) && ownership.isLate(margin));
		});
	}

	// What is found of servers

	/**
	 * A key stays for longer than was asked for. It does so at every poll, and other keys
	 * do so, too: told once in a while for each key, and for some keys only.
	 */
	void clockSetBack(String key, Duration remaining, Duration setBack) {
		long now = this.platform.nanoTime();
		long due = this.setBackAgainAt.get();
		if (now >= due && this.setBackAgainAt.compareAndSet(due, now + SET_BACK_TOLD_EVERY)) {
			this.toldSetBack.clear();
		}
		if (this.toldSetBack.size() < SET_BACK_TOLD_KEYS && this.toldSetBack.add(key)) {
			tell((listener) -> listener.clockSetBack(key, remaining, setBack));
		}
	}

	// How it is told

	private void tellMonitors(Consumer<LockMonitor> event) {
		for (LockMonitor monitor : this.monitors) {
			contain(() -> event.accept(monitor), this.monitorFailed, "A lock monitor failed");
		}
	}

	void tell(Consumer<LockListener> event) {
		this.listeners.forEach((told) -> execute(told.calls, () -> event.accept(told.listener)));
	}

	/**
	 * Run what others wrote.
	 */
	void run(Runnable action) {
		execute(this.callbacks, action);
	}

	/**
	 * Tell those who want to know of each lock.
	 * @param since when what happened began
	 */
	private void tellInterested(String key, long since, BiConsumer<LockListener, Duration> event) {
		containCall(() -> {
			Duration time = Duration.ofNanos(this.platform.nanoTime() - since);
			try {
				this.frequent.execute(
						() -> this.interested.forEach((listener) -> containCall(() -> event.accept(listener, time))));
			}
			catch (RejectedExecutionException ex) {
				this.dropped.writeLater(key,
						() -> "An event of lock '%s' was dropped, as the lock listeners are too slow: ".formatted(key)
								+ "hand work that takes time to an executor",
						null);
			}
		});
	}

	/**
	 * Execute a call. Whoever tells has changed its state before, and goes on in any
	 * case.
	 */
	private void execute(Executor on, Runnable call) {
		try {
			on.execute(() -> containCall(call));
		}
		catch (RuntimeException | Error ex) {
			this.listenerFailed.writeLater(ex.getClass().getName(), () -> "A lock listener cannot be called now", ex);
		}
	}

	private void containCall(Runnable call) {
		contain(call, this.listenerFailed, "A lock listener failed");
	}

	/**
	 * Run what others wrote, whatever it throws. Nothing is logged here, as a mutex may
	 * be held.
	 */
	private static void contain(Runnable call, LimitedLog failed, String message) {
		try {
			call.run();
		}
		catch (Throwable ex) {
			failed.writeLater(ex.getClass().getName(), () -> message, ex);
		}
	}

	/**
	 * Wait for up to a second until the listeners were called for everything up to now.
	 */
	void flush() {
		CompletableFuture<?>[] all = Stream.concat(Stream.of(this.callbacks), this.listeners.stream().map(Told::calls))
			.map((executor) -> CompletableFuture.runAsync(() -> {
			}, executor))
			.toArray(CompletableFuture<?>[]::new);
		try {
			if (!this.platform.await(CompletableFuture.allOf(all), FLUSHED_WITHIN)) {
				logger.debug("Listeners are busy: they are told later, if at all");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * A listener, and what calls it.
	 */
	private record Told(LockListener listener, Executor calls) {
	}

}
