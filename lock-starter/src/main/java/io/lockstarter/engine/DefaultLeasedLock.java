// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.lockstarter.LeasedLock;
import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The lock of one key: a view of the leases and of the hold counts of the current thread.
 */
final class DefaultLeasedLock implements LeasedLock {

	private final Supplier<AcquireOperations> operations;

	private final HoldCounts holds;

	private final String key;

	private final Terms terms;

	DefaultLeasedLock(Supplier<AcquireOperations> operations, HoldCounts holds, String key, Terms terms) {
		this.operations = operations;
		this.holds = holds;
		this.key = key;
		this.terms = terms;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public Lease lease() {
		return this.holds.lease(this.key, this.terms.mode());
	}

	@Override
	public List<Lease> leases() {
		return List.of(lease());
	}

	@Override
	public int holdCount() {
		return this.holds.count(this.key, this.terms.mode());
	}

	@Override
	public boolean extend(Duration ttl) {
		return lease().extend(ttl);
	}

	@Override
	public void lock() {
		if (!this.holds.reenter(this.key, this.terms.mode())) {
			enter(this.operations.get().acquireUninterruptibly(this.key, this.terms.waiting(Ticker.NEVER)));
		}
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		checkNotInterrupted();
		enterWithin(Ticker.NEVER);
	}

	@Override
	public boolean tryLock() {
		return !isUpgrade() && (this.holds.reenter(this.key, this.terms.mode())
				|| enter(this.operations.get().acquireUninterruptibly(this.key, this.terms.waiting(0))));
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		checkNotInterrupted();
		return !isUpgrade() && enterWithin(Math.max(0, unit.toNanos(time)));
	}

	private boolean enterWithin(long nanos) throws InterruptedException {
		return this.holds.reenter(this.key, this.terms.mode())
				|| enter(this.operations.get().acquire(this.key, this.terms.waiting(nanos)).lease());
	}

	private boolean isUpgrade() {
		return this.holds.isUpgrade(this.key, this.terms.mode());
	}

	private void checkNotInterrupted() throws InterruptedException {
		if (Thread.interrupted()) {
			throw Interrupts.interrupted(this.key);
		}
	}

	@Override
	public void unlock() {
		DefaultLease lease = exit();
		LockLostException lost = (lease != null) ? lease.loss() : null;
		if (lost != null) {
			throw lost;
		}
	}

	@Override
	public void acquire() throws InterruptedException {
		if (this.holds.reenter(this.key, this.terms.mode())) {
			return;
		}
		AcquireOperations current = this.operations.get();
		Waiter waiter = current.acquire(this.key, this.terms);
		if (!enter(waiter.lease())) {
			throw current.busy(waiter, AcquireOperations.outerScope());
		}
	}

	/**
	 * Release one hold.
	 * @return the lease that ended with it, if any
	 */
	@Nullable DefaultLease exit() {
		DefaultLease lease = this.holds.exit(this.key, this.terms.mode());
		if (lease != null) {
			lease.close();
		}
		return lease;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DefaultLeasedLock lock && this.holds.equals(lock.holds) && this.key.equals(lock.key)
				&& this.terms.equals(lock.terms);
	}

	@Override
	public int hashCode() {
		return this.key.hashCode();
	}

	@Override
	public String toString() {
		return "LeasedLock[key=%s, holdCount=%d]".formatted(this.key, holdCount());
	}

	private boolean enter(@Nullable DefaultLease lease) {
		if (lease == null) {
			return false;
		}
		this.holds.enter(this.key, lease, this.terms.mode());
		return true;
	}

}
