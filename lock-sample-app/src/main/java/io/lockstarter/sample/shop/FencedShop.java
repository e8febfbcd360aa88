// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;
import java.util.Objects;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A distributed lock and a fence: the database remembers the largest fencing token it has
 * seen, and refuses the late write of a buyer who was stopped for so long that the lock
 * went to another.
 * <p>
 * The product is claimed before it is read, or a buyer who has read and not yet written
 * would be unknown to the fence. The claim is committed at once: in the transaction of
 * the purchase it would lock the row, and a buyer who is stopped would stop all others.
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
	@DistributedLock(key = "stock:#{#productId}", ttl = "${sale.ttl}", waitTime = "${sale.wait-time}")
	public Order buy(long productId, Duration thinkTime) {
		long token = LockScope.current().fencingToken();
		this.books.claim(productId, token);
		return Objects.requireNonNull(this.transaction.execute((status) -> {
			int stock = this.books.stock(productId);
			if (stock <= 0) {
				throw new SoldOutException(productId);
			}
			this.thinking.think(thinkTime);
			this.books.writeStock(productId, stock - 1, token);
			return this.books.addOrder(productId);
		}));
	}

}
