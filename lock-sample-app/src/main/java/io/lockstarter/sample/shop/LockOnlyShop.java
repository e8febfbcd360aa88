// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * A distributed lock, and nothing that looks at it when the purchase is written: no
 * transaction, whose commit would be refused after the lock was lost, and no fencing
 * token.
 * <p>
 * It keeps buyers apart for as long as the holder has its lock. A holder that is stopped
 * for longer than the ttl writes what it had calculated, although the lock went to others
 * meanwhile: their items are sold once more.
 */
@Service
class LockOnlyShop implements Shop {

	private final Books books;

	private final Thinking thinking;

	LockOnlyShop(Books books, Thinking thinking) {
		this.books = books;
		this.thinking = thinking;
	}

	@Override
	public Protection protection() {
		return Protection.LOCK_ONLY;
	}

	@Override
	@DistributedLock(key = "stock:#{#productId}", ttl = "${sale.ttl}", waitTime = "${sale.wait-time}")
	public Order buy(long productId, Duration thinkTime) {
		int stock = this.books.stock(productId);
		if (stock <= 0) {
			throw new SoldOutException(productId);
		}
		this.thinking.think(thinkTime);
		this.books.writeStock(productId, stock - 1);
		return this.books.addOrder(productId);
	}

}
