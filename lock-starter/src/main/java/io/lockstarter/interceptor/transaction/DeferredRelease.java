// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.List;
import java.util.Queue;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.interceptor.async.Leases;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transaction callback that releases a lock after the other callbacks, as they may still
 * work on what the lock protects.
 */
final class DeferredRelease implements TransactionSynchronization {

	private static final Log logger = LogFactory.getLog(DeferredRelease.class);

	private final Thread thread = Thread.currentThread();

	private final Hold hold;

	private final LockScope scope;

	private final List<Lease> ending;

	private final Queue<Hold> owed;

	private boolean handedOn;

	/**
	 * Take over a hold of the current thread.
	 * @param owed takes the lock if another thread completes the transaction; the thread
	 * that holds the lock releases it later
	 */
	DeferredRelease(Hold hold, LockScope scope, Queue<Hold> owed) {
		this.hold = hold;
		this.scope = scope;
		this.ending = hold.ending();
		this.owed = owed;
	}

	void check() {
		this.scope.checkValid();
	}

	@Override
	public void beforeCommit(boolean readOnly) {
		check();
	}

	/**
	 * Callbacks of one order run in the order in which they were registered, and most
	 * have the lowest one: so go to the end of the queue.
	 */
	@Override
	public void beforeCompletion() {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				release();
			}

		});
		this.handedOn = true;
	}

	@Override
	public void afterCompletion(int status) {
		if (!this.handedOn) {
			release();
		}
	}

	private void release() {
		if (Thread.currentThread() == this.thread) {
			release(this.hold);
			return;
		}
		// A JTA transaction that timed out, for example. The hold cannot be counted down
		// here, but nobody is to wait for that.
		this.owed.add(this.hold);
		Leases.release(this.ending).join();
	}

	static void release(Hold hold) {
		try {
			hold.release();
		}
		catch (LockLostException ex) {
			logger.debug("Known to the listeners already", ex);
		}
	}

}
