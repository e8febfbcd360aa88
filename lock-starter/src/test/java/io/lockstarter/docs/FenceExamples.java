// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.Fence;
import io.lockstarter.docs.AnnotationExamples.Order;
import io.lockstarter.docs.AnnotationExamples.Warehouse;
import io.lockstarter.fence.LockFence;

import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The examples of docs/fenced-transactions.md.
 */
class FenceExamples {

	private final LockRegistry registry;

	private final LockFence fence;

	private final TransactionOperations transaction;

	private final Warehouse warehouse;

	FenceExamples(LockRegistry registry, LockFence fence, TransactionOperations transaction, Warehouse warehouse) {
		this.registry = registry;
		this.fence = fence;
		this.transaction = transaction;
		this.warehouse = warehouse;
	}

	@Transactional
	@DistributedLock(value = "stock:#{#productId}", fence = Fence.TRANSACTION)
	public Order buyOnce(long productId) {
		return this.warehouse.take(productId);
	}

	public Order buyFenced(long productId) {
		return this.registry.call("stock:" + productId, (scope) -> this.fence.call(scope,
				(same) -> this.transaction.execute((status) -> this.warehouse.take(productId))));
	}

}
