// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;
import java.util.Objects;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.Fence;

import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A distributed lock and a fence: the database refuses the late transaction of a buyer
 * who was stopped for so long that the lock went to another.
 * <p>
 * Each of the two transactions claims the product first. While the shop thinks there is
 * none, so a buyer who is stopped there keeps no row locked, and nobody waiting.
 */
@Service
class FencedShop implements Shop {

	private final Books books;

	private final Thinking thinking;

	private final TransactionOperations transaction;

	FencedShop(Books books, Thinking thinking, TransactionOperations transaction) {
		this.books = books;
		this.thinking = thinking;
		this.transaction = transaction;
	}

	@Override
	public Protection protection() {
		return Protection.FENCE;
	}

	@Override
	@DistributedLock(key = "stock:#{#productId}", ttl = "${sale.ttl}", waitTime = "${sale.wait-time}",
			fence = Fence.TRANSACTION)
	public Order buy(long productId, Duration thinkTime) {
		int stock = Objects.requireNonNull(this.transaction.execute((status) -> this.books.stock(productId)));
		if (stock <= 0) {
			throw new SoldOutException(productId);
		}
		this.thinking.think(thinkTime);
		return Objects.requireNonNull(this.transaction.execute((status) -> {
			this.books.writeStock(productId, stock - 1);
			return this.books.addOrder(productId);
		}));
	}

}
