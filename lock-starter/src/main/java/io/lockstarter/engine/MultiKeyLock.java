// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.LeasedLock;
import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The lock of several keys: those that the thread holds already are counted, the others
 * are acquired together.
 */
final class MultiKeyLock implements LeasedLock {

	private final Supplier<AcquireOperations> operations;

	private final HoldCounts holds;

	private final List<String> keys;

	private final Terms terms;

	MultiKeyLock(Supplier<AcquireOperations> operations, HoldCounts holds, List<String> keys, Terms terms) {
		this.operations = operations;
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
		return this.keys.stream().<Lease>map(this::lease).toList();
	}

	@Override
	public int holdCount() {
		return this.keys.stream().mapToInt((key) -> this.holds.count(key, this.terms.mode())).min().orElse(0);
	}

	@Override
	public boolean extend(Duration ttl) {
		return DefaultLease.extendAll(this.keys.stream().map(this::lease).toList(), ttl);
	}

	@Override
	public void acquire() throws InterruptedException {
		if (Thread.interrupted()) {
			throw Interrupts.interrupted(key());
		}
		enter((current, missing) -> current.acquireAll(missing, this.terms));
	}

	@Override
	public void lock() {
		enter((current, missing) -> current.acquireAllUninterruptibly(missing, this.terms.waiting(Ticker.NEVER)));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		if (Thread.interrupted()) {
			throw Interrupts.interrupted(key());
		}
		enter((current, missing) -> current.acquireAll(missing, this.terms.waiting(Ticker.NEVER)));
	}

	@Override
	public boolean tryLock() {
		return tryEnter((current, missing) -> current.acquireAllUninterruptibly(missing, this.terms.waiting(0)));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		if (Thread.interrupted()) {
			throw Interrupts.interrupted(key());
		}
		Terms patient = this.terms.waiting(Math.max(0, unit.toNanos(time)));
		return tryEnter((current, missing) -> current.acquireAll(missing, patient));
	}

	@Override
	public void unlock() {
		if (holdCount() == 0 && !this.holds.areHeldTogether(this.keys)) {
			throw this.holds.notHeld(key());
		}
		Failures failures = new Failures();
		for (DefaultLease lease : exit(failures)) {
			LockLostException lost = lease.loss();
			if (lost != null) {
				failures.add(lost);
			}
		}
		failures.throwFirst();
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof MultiKeyLock lock && this.holds.equals(lock.holds) && this.keys.equals(lock.keys)
				&& this.terms.equals(lock.terms);
	}

	@Override
	public int hashCode() {
		return this.keys.hashCode();
	}

	@Override
	public String toString() {
		return "LeasedLock[keys=%s, holdCount=%d]".formatted(this.keys, holdCount());
	}

	private DefaultLease lease(String key) {
		return this.holds.lease(key, this.terms.mode());
	}

	private <X extends Exception> boolean tryEnter(Acquirer<X> acquirer) throws X {
		if (this.keys.stream().anyMatch((key) -> this.holds.isUpgrade(key, this.terms.mode()))) {
			return false;
		}
		try {
			enter(acquirer);
			return true;
		}
		catch (LockNotAcquiredException ex) {
			return false;
		}
	}

	/**
	 * Count the keys that the thread holds once more, and acquire the others.
	 */
	private <X extends Exception> void enter(Acquirer<X> acquirer) throws X {
		AcquireOperations current = this.operations.get();
		List<String> entered = new ArrayList<>(this.keys.size());
		List<String> missing = new ArrayList<>(this.keys.size());
		Deque<DefaultLease> acquired = new ArrayDeque<>();
		try {
			for (String key : this.keys) {
				(this.holds.reenter(key, this.terms.mode()) ? entered : missing).add(key);
			}
			if (!missing.isEmpty()) {
				acquired.addAll(acquirer.acquire(current, missing));
			}
			while (!acquired.isEmpty()) {
				DefaultLease lease = acquired.element();
				this.holds.enter(lease.key(), lease, this.terms.mode());
				acquired.remove();
				entered.add(lease.key());
			}
			this.holds.enterTogether(this.keys);
		}
		catch (Throwable ex) {
			Failures failures = new Failures();
			failures.add(ex);
			DefaultLease.releaseAllUnused(acquired, failures);
			DefaultLease.releaseAllUnused(exit(entered, failures), failures);
			throw ex;
		}
	}

	/**
	 * Release one hold of each key, without a word of a lease that was lost.
	 */
	void exit() {
		Failures failures = new Failures();
		var unused = exit(failures);
		failures.throwFirst();
	}

	/**
	 * Release one hold of each key, also if one of them was released before.
	 * @return the leases that ended
	 */
	private List<DefaultLease> exit(Failures failures) {
		this.holds.exitTogether(this.keys);
		List<DefaultLease> ended = exit(this.keys, failures);
		DefaultLease.closeAll(ended, failures);
		return ended;
	}

	/**
	 * Count one hold of each key less.
	 * @return the leases to release
	 */
	private List<DefaultLease> exit(List<String> entered, Failures failures) {
		List<DefaultLease> ended = new ArrayList<>(entered.size());
		failures.collect(entered, (key) -> {
			DefaultLease lease = this.holds.exit(key, this.terms.mode());
			if (lease != null) {
				ended.add(lease);
			}
		});
		return ended;
	}

	/**
	 * One way to acquire what the thread does not hold yet.
	 */
	private interface Acquirer<X extends Exception> {

		List<DefaultLease> acquire(AcquireOperations current, List<String> missing) throws X;

	}

}
