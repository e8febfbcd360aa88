// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;

import io.lockstarter.LockScope;
import io.lockstarter.sample.shop.Protection;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Who is in the shop. A buyer's section is what runs under the lock; without a lock it is
 * the transaction.
 */
@Component
class Visits implements MethodInterceptor, TransactionExecutionListener {

	private static final int MOST_FINISHED = 5000;

	private final Map<Thread, Visit> present = new ConcurrentHashMap<>();

	private final Queue<Visit> finished = new ArrayBlockingQueue<>(MOST_FINISHED);

	/**
	 * Go with a buyer from the acquisition of the lock up to its release.
	 */
	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		enter();
		try {
			return invocation.proceed();
		}
		finally {
			leave();
		}
	}

	@Override
	public void beforeBegin(TransactionExecution transaction) {
		enter();
	}

	@Override
	public void afterCommit(TransactionExecution transaction, @Nullable Throwable commitFailure) {
		leaveUnlessLocked();
	}

	@Override
	public void afterRollback(TransactionExecution transaction, @Nullable Throwable rollbackFailure) {
		leaveUnlessLocked();
	}

	private void enter() {
		Visit visit = current();
		if (visit != null) {
			visit.enter(LockScope.find().map(LockScope::fencingToken).orElse(null));
		}
	}

	/**
	 * A transaction is the section only without a lock, under which there may be several.
	 */
	private void leaveUnlessLocked() {
		if (LockScope.find().isEmpty()) {
			leave();
		}
	}

	private void leave() {
		Visit visit = current();
		if (visit != null) {
			visit.leave();
		}
	}

	Visit begin(Protection protection) {
		Visit visit = new Visit(protection);
		this.present.put(Thread.currentThread(), visit);
		return visit;
	}

	/**
	 * Let a buyer leave. If nobody asks for those who have left, the latest of them are
	 * not remembered.
	 */
	void end(Visit visit) {
		this.present.remove(Thread.currentThread(), visit);
		this.finished.offer(visit);
	}

	@Nullable Visit current() {
		return this.present.get(Thread.currentThread());
	}

	/**
	 * Return whether there is anything to report.
	 */
	boolean isAny() {
		return !this.present.isEmpty() || !this.finished.isEmpty();
	}

	List<Visit.Snapshot> present() {
		return this.present.values().stream().map(Visit::snapshot).toList();
	}

	/**
	 * Return who has left and is not forgotten, the first of them first.
	 */
	List<Visit.Snapshot> finished() {
		return this.finished.stream().map(Visit::snapshot).toList();
	}

	/**
	 * Forget the first of those who have left, as they were reported.
	 */
	void forget(int count) {
		for (int i = 0; i < count; i++) {
			this.finished.remove();
		}
	}

}
