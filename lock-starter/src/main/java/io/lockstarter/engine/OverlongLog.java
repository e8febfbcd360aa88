// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Ticker;
import io.lockstarter.platform.Timer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs each wait and each hold that takes longer than it should, once, with what the
 * thread of the holder does at that time. There is no timer for each of them: a sweep
 * looks at those that became too long since the last one.
 */
final class OverlongLog implements LongConsumer {

	private static final Log logger = LogFactory.getLog(OverlongLog.class);

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);

	private final LimitedLog holds;

	private final LimitedLog waits;

	private final Services services;

	private final LockEngine engine;

	private final Duration warnAfter;

	private final Sweeper sweeper;

	private long sweptUpTo = -1;

	OverlongLog(LockEngine engine) {
		Services services = engine.services();
		this.engine = engine;
		this.services = services;
		this.warnAfter = services.settings().warnAfter();
		Timer logTimer = services.timing().platform().logTimer();
		this.holds = LimitedLog.warnings(logger, "more locks were held for too long", logTimer);
		this.waits = LimitedLog.warnings(logger, "more waits for locks took too long", logTimer);
		this.sweeper = new Sweeper(services.timing().deadlines(), this::sweep, SWEEP_PAUSE);
	}

	/**
	 * Look after a wait or a hold. Called after it can be seen in its queue.
	 * @param since when it began
	 */
	@Override
	public void accept(long since) {
		this.sweeper.noLaterThan(due(since));
	}

	private long sweep(long now) {
		long[] next = { Ticker.NEVER };
		for (LocalQueue queue : this.engine.queues()) {
			for (DefaultLease lease : queue.leases()) {
				if (isDue(lease.since(), now, next)) {
					this.services.news().run(() -> held(lease));
				}
			}
			queue.forEachWaiter((waiter) -> {
				if (isDue(waiter.since(), now, next)) {
					BusyKey busy = queue.busyKey(waiter);
					this.services.news().run(() -> waits(waiter, busy));
				}
			});
		}
		this.sweptUpTo = now;
		return next[0];
	}

	private boolean isDue(long since, long now, long[] next) {
		long due = due(since);
		if (due > now) {
			next[0] = Math.min(next[0], due);
		}
		return due <= now && due > this.sweptUpTo;
	}

	private long due(long since) {
		return Ticker.plus(since, this.warnAfter.toNanos());
	}

	private void held(DefaultLease lease) {
		this.holds.write(lease.key(),
				() -> ("Lock '%s' (name %s, owner id %s, fencing token %d) is held for longer than 'distributed-lock.warn-after': "
						+ "%d ms, %s. Shorten what it protects, or raise the property.%s")
					.formatted(lease.key(), lease.name(), lease.ownerId(), lease.fencingToken(),
							millisSince(lease.since()), HolderThread.describe(lease.thread()), stack(lease)));
	}

	private void waits(Waiter waiter, BusyKey busy) {
		this.waits.write(waiter.key(), () -> {
			long now = this.services.now();
			return "A wait for lock '%s' (name %s) takes longer than 'distributed-lock.warn-after': %d ms, %s; the lock is %s.%s"
				.formatted(waiter.key(), waiter.terms().name(), millisSince(waiter.since()),
						HolderThread.describeWaiter(waiter.thread()),
						busy.describe(this.services.instance(), false, now), stack(busy.lease()));
		});
	}

	private static String stack(@Nullable DefaultLease lease) {
		String stack = (lease != null && lease.isActive()) ? HolderThread.stack(lease.thread()) : "";
		return stack.isEmpty() ? "" : " The thread that holds it:" + stack;
	}

	private long millisSince(long since) {
		return Duration.ofNanos(this.services.now() - since).toMillis();
	}

}
