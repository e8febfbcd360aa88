// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.util.List;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.Fence;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * What applications do under a fenced lock. Each method runs an action where its
 * transaction is.
 */
class FencedShop {

	private final PlatformTransactionManager manager;

	FencedShop(PlatformTransactionManager manager) {
		this.manager = manager;
	}

	@Transactional
	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void sell(int id, Runnable action) {
		action.run();
	}

	@Transactional(timeout = 1)
	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void sellSoon(int id, Runnable action) {
		action.run();
	}

	@Transactional(isolation = Isolation.REPEATABLE_READ)
	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void sellRepeatably(int id, Runnable action) {
		action.run();
	}

	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void sellInTemplate(int id, Runnable action) {
		inTransaction(TransactionDefinition.PROPAGATION_REQUIRED, action);
	}

	/** The action begins its own transactions. */
	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void run(int id, Runnable action) {
		action.run();
	}

	@Transactional
	@DistributedLock(value = "stock:#{#ids}", fence = Fence.TRANSACTION)
	public void sellAll(List<Integer> ids, Runnable action) {
		action.run();
	}

	@Transactional(readOnly = true)
	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void read(int id, Runnable action) {
		action.run();
	}

	@Transactional(propagation = Propagation.SUPPORTS)
	@DistributedLock(value = "stock:#{#id}", fence = Fence.TRANSACTION)
	public void supports(int id, Runnable action) {
		action.run();
	}

	@Transactional
	@DistributedLock("stock:#{#id}")
	public void unfenced(int id, Runnable action) {
		action.run();
	}

	void inTransaction(int propagation, Runnable action) {
		inTransaction(this.manager, propagation, action);
	}

	static void inTransaction(PlatformTransactionManager manager, int propagation, Runnable action) {
		TransactionTemplate template = new TransactionTemplate(manager);
		template.setPropagationBehavior(propagation);
		template.executeWithoutResult((status) -> action.run());
	}

}
