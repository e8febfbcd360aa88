package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.LeasedLock;
import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * The locks of several keys as one. First all keys are tried at once, in one round trip.
 * If one of them is busy, what was acquired is given back and the keys are taken one
 * after the other in their order, which keeps those who want the same keys from waiting
 * for each other.
 */
final class CombinedLock implements LeasedLock {

	private final Supplier<Acquisitions> acquisitions;

	private final ThreadHolds holds;

	private final List<String> keys;

	private final Terms terms;

	/**
	 * Create a lock.
	 * @param keys the keys, sorted
	 */
	CombinedLock(Supplier<Acquisitions> acquisitions, ThreadHolds holds, List<String> keys, Terms terms) {
		this.acquisitions = acquisitions;
		this.holds = holds;
		this.keys = keys;
		this.terms = terms;
	}

	@Override
	public String key() {
		return String.join(", ", this.keys);
	}

	@Override
	public Lease lease() {
		throw new IllegalStateException(
				"Lock '" + key() + "' has several keys, each with a lease of its own: use leases()");
	}

	@Override
	public List<Lease> leases() {
		return this.keys.stream().<Lease>map(this.holds::lease).toList();
	}

	@Override
	public int holdCount() {
		return this.keys.stream().mapToInt(this.holds::count).min().orElse(0);
	}

	@Override
	public void acquire() throws InterruptedException {
		Acquisitions current = this.acquisitions.get();
		long since = current.now();
		Waiter busy = acquire(current, this.terms);
		if (busy != null) {
			throw new LockNotAcquiredException(busy.key(), Duration.ofNanos(current.now() - since), busy.holder());
		}
	}

	@Override
	public void lock() {
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					lockInterruptibly();
					return;
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		tryLock(Ticker.NEVER, TimeUnit.NANOSECONDS);
	}

	@Override
	public boolean tryLock() {
		boolean interrupted = Thread.interrupted();
		try {
			while (true) {
				try {
					return tryLock(0, TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return acquire(this.acquisitions.get(), this.terms.waiting(Math.max(0, unit.toNanos(time)))) == null;
	}

	@Override
	public void unlock() {
		if (holdCount() == 0) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by thread '%s'".formatted(key(), Thread.currentThread().getName()));
		}
		LockLostException lost = null;
		List<DefaultLease> ended = exit(this.keys);
		DefaultLease.closeAll(ended);
		for (DefaultLease lease : ended) {
			LossCause cause = lease.lossCause();
			if (cause != null) {
				LockLostException next = new LockLostException(lease.key(), lease.fencingToken(), cause);
				if (lost == null) {
					lost = next;
				}
				else {
					lost.addSuppressed(next);
				}
			}
		}
		if (lost != null) {
			throw lost;
		}
	}

	@Override
	public String toString() {
		return "LeasedLock[keys=%s, holdCount=%d]".formatted(this.keys, holdCount());
	}

	/**
	 * Acquire all keys or none.
	 * @return who found its key busy; {@code null} if all are acquired
	 */
	private @Nullable Waiter acquire(Acquisitions current, Terms terms) throws InterruptedException {
		if (Thread.interrupted()) {
			throw Acquisitions.interrupted(key());
		}
		List<String> entered = new ArrayList<>(this.keys.size());
		boolean complete = false;
		try {
			List<String> missing = new ArrayList<>(this.keys.size());
			for (String key : this.keys) {
				(this.holds.reenter(key) ? entered : missing).add(key);
			}
			Waiter busy = acquire(current, terms, missing, entered);
			complete = busy == null;
			return busy;
		}
		finally {
			if (!complete) {
				DefaultLease.discardAll(exit(entered));
			}
		}
	}

	private @Nullable Waiter acquire(Acquisitions current, Terms terms, List<String> missing, List<String> entered)
			throws InterruptedException {
		long until = Ticker.plus(current.now(), terms.waitNanos());
		if (missing.size() > 1) {
			Waiter busy = tryAll(current, terms.waiting(0), missing, entered);
			if (busy == null || terms.triesOnce()) {
				return busy;
			}
		}
		for (String key : missing) {
			long left = (until != Ticker.NEVER) ? Math.max(0, until - current.now()) : Ticker.NEVER;
			Waiter waiter = current.acquire(key, terms.waiting(left));
			if (!enter(waiter, entered)) {
				return waiter;
			}
		}
		return null;
	}

	private @Nullable Waiter tryAll(Acquisitions current, Terms terms, List<String> missing, List<String> entered)
			throws InterruptedException {
		List<Waiter> waiters = current.acquireAll(missing, terms);
		Waiter busy = waiters.stream().filter((waiter) -> waiter.join() == null).findFirst().orElse(null);
		if (busy == null) {
			waiters.forEach((waiter) -> enter(waiter, entered));
		}
		else {
			Acquisitions.releaseGranted(waiters);
		}
		return busy;
	}

	private boolean enter(Waiter waiter, List<String> entered) {
		DefaultLease lease = waiter.join();
		if (lease == null) {
			return false;
		}
		this.holds.enter(lease.key(), lease);
		entered.add(lease.key());
		return true;
	}

	/**
	 * Count one hold of each key less.
	 * @return the leases to release
	 */
	private List<DefaultLease> exit(List<String> keys) {
		List<DefaultLease> ended = new ArrayList<>(keys.size());
		for (String key : keys) {
			DefaultLease lease = this.holds.exit(key);
			if (lease != null) {
				ended.add(lease);
			}
		}
		return ended;
	}

}
