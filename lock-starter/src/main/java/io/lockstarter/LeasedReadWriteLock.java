// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * The read lock and the write lock of one key, among all instances: several hold the read
 * lock at the same time, and nobody else holds anything while one holds the write lock.
 * <p>
 * Nobody starves: while the read lock is held, whoever asks for it stands behind one who
 * waits for the write lock. When one who waits for the read lock is next, all who wait
 * for it get it together.
 * <p>
 * Both are reentrant. A thread that holds the write lock may acquire the read lock, too;
 * if it then releases the write lock first, it goes on holding the read lock, and nobody
 * gets the write lock in between (downgrade). A thread that holds only the read lock and
 * asks for the write lock gets an {@link IllegalStateException} at once, as two such
 * threads would wait for each other (upgrade); {@code tryLock} answers {@code false}.
 * <p>
 * The fencing token of a read lock is larger than that of each write lock before, and may
 * be that of other read locks of this instance. After a downgrade it is that of the write
 * lock. Thread-safe.
 *
 * @since 0.1
 * @see LockRegistry#obtainReadWrite
 */
public final class LeasedReadWriteLock implements ReadWriteLock {

	private final LeasedLock readLock;

	private final LeasedLock writeLock;

	LeasedReadWriteLock(LeasedLock readLock, LeasedLock writeLock) {
		this.readLock = readLock;
		this.writeLock = writeLock;
	}

	@Override
	public LeasedLock readLock() {
		return this.readLock;
	}

	@Override
	public LeasedLock writeLock() {
		return this.writeLock;
	}

	@Override
	public String toString() {
		return "LeasedReadWriteLock[key=" + this.writeLock.key() + "]";
	}

}
