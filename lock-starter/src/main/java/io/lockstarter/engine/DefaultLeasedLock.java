// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.AcquireOperations.Parking;
import io.lockstarter.platform.Ticker;

/**
 * The lock of one key or of several: a view of the leases and of the hold counts of its
 * holder. Keys that the holder has already are counted, the others are acquired together.
 */
final class DefaultLeasedLock implements LeasedLock {

	private final HolderLockRegistry registry;

	private final HoldCounts holds;

	private final List<String> keys;

	private final Terms terms;

	DefaultLeasedLock(HolderLockRegistry registry, List<String> keys, Terms terms) {
		this.registry = registry;
		this.holds = registry.holds();
		this.keys = keys;
		this.terms = terms;
	}

	@Override
	public String key() {
		return Keys.named(this.keys);
	}

	@Override
	public Lease lease() {
		requireOneKey("each with a lease of its own: use leases()");
		return lease(this.keys.get(0));
	}

	@Override
	public List<Lease> leases() {
		return this.keys.stream().<Lease>map(this::lease).toList();
	}

	private DefaultLease lease(String key) {
		return this.holds.lease(key, this.terms.mode());
	}

	@Override
	public int holdCount() {
		int least = Integer.MAX_VALUE;
		for (String key : this.keys) {
			least = Math.min(least, this.holds.count(key, this.terms.mode()));
		}
		return least;
	}

	private void requireOneKey(String remedy) {
		if (this.keys.size() > 1) {
			throw new IllegalStateException("Lock '" + key() + "' has several keys, " + remedy);
		}
	}

	@Override
	public Optional<Duration> remainingTime() {
		requireOneKey("of which some may be free: ask the lock of each");
		try {
			StoredLock stored = Completions.join(this.registry.inspect(key())).lock();
			Duration remaining = stored.remaining();
			return stored.isFree() ? Optional.empty()
					: Optional.of((remaining != null) ? remaining : LockOptions.UNLIMITED);
		}
		catch (CompletionException ex) {
			Throwable cause = Completions.cause(ex);
			throw (cause instanceof UnsupportedOperationException unsupported) ? unsupported
					: Completions.withStackOfCaller(cause);
		}
	}

	@Override
	public boolean extend(Duration ttl) {
		return DefaultLease.extendAll(this.keys.stream().map(this::lease).toList(), ttl);
	}

	@Override
	public void acquire() throws InterruptedException {
		enter(this.terms, Parking.INTERRUPTIBLY);
	}

	@Override
	public void lock() {
		enter(this.terms.waiting(Ticker.NEVER), Parking.UNINTERRUPTIBLY);
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		var unused = Interrupts.check(key());
		enter(this.terms.waiting(Ticker.NEVER), Parking.INTERRUPTIBLY);
	}

	@Override
	public boolean tryLock() {
		return tryEnter(this.terms.waiting(0), Parking.UNINTERRUPTIBLY);
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		var unused = Interrupts.check(key());
		return tryEnter(this.terms.waiting(Math.max(0, unit.toNanos(time))), Parking.INTERRUPTIBLY);
	}

	private <X extends Exception> void enter(Terms how, Parking<X> parking) throws X {
		var unused = enter(how, parking, false);
	}

	private <X extends Exception> boolean tryEnter(Terms how, Parking<X> parking) throws X {
		return !isUpgrade() && enter(how, parking, true);
	}

	private boolean isUpgrade() {
		for (String key : this.keys) {
			if (this.holds.isUpgrade(key, this.terms.mode())) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Count the keys that the holder has once more, and acquire the others.
	 * @param trying whether a key that stays busy is no exception
	 * @return whether they could be had
	 */
	private <X extends Exception> boolean enter(Terms how, Parking<X> parking, boolean trying) throws X {
		// With room for all: what was counted is noted even if memory runs out.
		List<String> entered = new ArrayList<>(this.keys.size());
		List<DefaultLease> acquired = List.of();
		int counted = 0;
		try {
			for (String key : this.keys) {
				if (this.holds.reenter(key, this.terms.mode())) {
					entered.add(key);
				}
			}
			if (entered.size() < this.keys.size()) {
				List<String> missing = entered.isEmpty() ? this.keys
						: this.keys.stream().filter(Predicate.not(entered::contains)).toList();
				AcquireOperations operations = this.registry.operations();
				acquired = trying ? operations.tryAll(missing, how, parking)
						: operations.acquireAll(missing, how, parking);
			}
			for (; counted < acquired.size(); counted++) {
				DefaultLease lease = acquired.get(counted);
				this.holds.enter(lease.key(), lease, this.terms.mode());
				entered.add(lease.key());
			}
			if (entered.size() == this.keys.size()) {
				enterTogether();
				return true;
			}
		}
		catch (Throwable ex) {
			Failures failures = new Failures();
			failures.add(ex);
			DefaultLease.releaseAllUnused(acquired.subList(counted, acquired.size()), failures);
			DefaultLease.releaseAllUnused(exit(entered, failures), failures);
			throw ex;
		}
		Failures failures = new Failures();
		DefaultLease.releaseAllUnused(exit(entered, failures), failures);
		failures.throwFirst();
		return false;
	}

	private void enterTogether() {
		if (this.keys.size() > 1) {
			this.holds.enterTogether(this.keys);
		}
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
		if (this.keys.size() > 1) {
			this.holds.exitTogether(this.keys);
		}
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

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DefaultLeasedLock lock && this.holds.equals(lock.holds) && this.keys.equals(lock.keys)
				&& this.terms.equals(lock.terms);
	}

	@Override
	public int hashCode() {
		return this.keys.hashCode();
	}

	@Override
	public String toString() {
		return "LeasedLock[%s=%s, holdCount=%d]".formatted((this.keys.size() == 1) ? "key" : "keys", key(),
				holdCount());
	}

}
