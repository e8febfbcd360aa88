/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.interceptor.transaction;

import io.lockstarter.LockScope;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transaction listener that refuses to commit under a lost lock: right before the commit,
 * a transaction that was begun under a lock, or under which a lock was taken, is rolled
 * back with {@link io.lockstarter.LockLostException} if the lease was lost meanwhile.
 * Does no I/O. Works in every {@code PlatformTransactionManager} that it is a listener
 * of.
 *
 * @since 0.1
 */
public final class LockCommitCheck implements TransactionExecutionListener {

	/**
	 * Create the check, for any number of transaction managers.
	 */
	public LockCommitCheck() {
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		LockScope.checkAll();
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
				if (each instanceof DeferredRelease deferred) {
					deferred.check();
				}
			}
		}
	}

}
