// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * The thread-bound, reentrant {@link Lock} view over the leases of one key. A nested
 * acquisition by the holding thread costs no round trip.
 * <p>
 * Every acquiring method throws {@link LockStoreException} when the store refuses or does
 * not answer in time, and {@link LockLostException} when the calling thread holds the
 * lock but has lost its lease.
 * <p>
 * Applications do not implement this interface. Methods that are added later have a
 * default, so that whoever does, in a test, still compiles.
 *
 * @since 0.1
 */
public interface LeasedLock extends Lock {

	/**
	 * Return what is locked.
	 * @return the key; of a lock of several keys all of them, separated by commas
	 */
	String key();

	/**
	 * Return the lease through which the current thread holds the lock.
	 * @return the lease; releasing it is left to {@link #unlock()}
	 * @throws IllegalMonitorStateException if the current thread does not hold the lock
	 * @throws IllegalStateException if this is a lock of several keys
	 */
	Lease lease();

	/**
	 * Return the leases through which the current thread holds the lock, one for each
	 * key.
	 * @return the leases, in the order of their keys
	 * @throws IllegalMonitorStateException if the current thread does not hold the lock
	 */
	List<Lease> leases();

	/**
	 * Return how often the current thread holds the lock.
	 * @return the number of {@link #unlock()} calls that the current thread owes
	 */
	int holdCount();

	/**
	 * Return whether the current thread holds the lock. Does no I/O: a lease that was
	 * lost counts as held until {@link #unlock()}, see {@link Lease#isValid()}.
	 * @return whether the current thread owes an {@link #unlock()}
	 */
	default boolean isHeldByCurrentThread() {
		return holdCount() > 0;
	}

	/**
	 * Return whether the lock is taken at the moment, by whatever instance and in
	 * whatever mode; or nobody holds it, but it is kept for its minimum hold, or for who
	 * is next in line. Asks the store, once, and waits for the answer, on a connection
	 * that is opened for it: for people and decisions of no weight, as the answer may be
	 * out of date when it comes. Who wants the lock tries it. Permits of the same key are
	 * not seen, see {@link Permits#available()}.
	 * @return whether somebody who tries the lock, and does not share it, finds it busy
	 * @throws LockStoreException if the store does not answer in time or refuses
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 * @throws IllegalStateException if this is a lock of several keys, or the registry is
	 * shut down
	 */
	default boolean isLocked() {
		return remainingTime().isPresent();
	}

	/**
	 * Return for how long the lock stays taken, as {@link #isLocked()} has it, if nobody
	 * renews or releases it: of a lock that is shared, up to when the last one has it.
	 * Asks the store like {@link #isLocked()}; {@link Lease#remaining()} asks nobody.
	 * @return the time by the clock of the store; {@link LockOptions#UNLIMITED} if the
	 * lock does not expire; empty if it is free
	 * @throws LockStoreException if the store does not answer in time or refuses
	 * @throws UnsupportedOperationException if the store cannot be inspected
	 * @throws IllegalStateException if this is a lock of several keys, or the registry is
	 * shut down
	 */
	default Optional<Duration> remainingTime() {
		throw new UnsupportedOperationException(getClass().getName() + " cannot be inspected");
	}

	/**
	 * Renew the leases through which the current thread holds the lock, now and for the
	 * given time, like {@link Lease#extend}.
	 * @param ttl for how long from now
	 * @return {@code true} if the store confirmed it for all keys; {@code false} if a
	 * lease is lost
	 * @throws LockStoreException if no lease is known to be lost, but the store did not
	 * confirm all of them
	 * @throws IllegalMonitorStateException if the current thread does not hold the lock
	 */
	boolean extend(Duration ttl);

	/**
	 * Acquire the lock, waiting up to the wait time of the options it was obtained with.
	 * @throws LockNotAcquiredException if a key stayed busy for the wait time
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	void acquire() throws InterruptedException;

	/**
	 * Acquire the lock, waiting as long as it takes, as any {@link Lock} does: the wait
	 * time of the options does not count, which {@link #acquire()} is for. An interrupt
	 * does not end the wait; the interrupt flag is set on return.
	 */
	@Override
	void lock();

	/**
	 * Acquire the lock, waiting as long as it takes or until interrupted.
	 */
	@Override
	void lockInterruptibly() throws InterruptedException;

	/**
	 * Acquire the lock only if it is free and nobody waits for it in this JVM.
	 */
	@Override
	boolean tryLock();

	/**
	 * Acquire the lock within the given time, which covers the local and the remote wait
	 * together.
	 */
	@Override
	boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

	/**
	 * Acquire the lock within the given time, like {@link #tryLock(long, TimeUnit)}.
	 * @param time how long to wait at most; zero or less tries once
	 * @return whether the lock was acquired
	 * @throws InterruptedException if interrupted on entry or while waiting; nothing
	 * stays acquired
	 */
	default boolean tryLock(Duration time) throws InterruptedException {
		return tryLock(TimeUnit.NANOSECONDS.convert(time), TimeUnit.NANOSECONDS);
	}

	/**
	 * Release one hold of the current thread, and the lease with the last one. In a
	 * {@code finally} block, the exception for a lost lease takes the place of what the
	 * block before it throws; {@link LockRegistry#call} keeps that.
	 * @throws LockLostException with the last hold, if the lease is known to be lost; the
	 * lock is no longer held by the current thread all the same
	 * @throws IllegalMonitorStateException if the current thread does not hold the lock
	 */
	@Override
	void unlock();

	/**
	 * Not supported: a condition would have to release and acquire the lock across
	 * processes.
	 * @throws UnsupportedOperationException always
	 */
	@Override
	default Condition newCondition() {
		throw new UnsupportedOperationException(
				"Lock '" + key() + "' has no conditions: a condition cannot wait across processes");
	}

}
