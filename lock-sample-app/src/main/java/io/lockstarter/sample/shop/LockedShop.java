// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

import io.lockstarter.annotation.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * A distributed lock: one buyer of a product at a time, in whatever instance.
 * <p>
 * The lock is outside, the transaction inside: it begins when the lock is held and is
 * committed before the next buyer comes. Who waits for the lock keeps no database
 * connection busy.
 * <p>
 * If the lock was lost meanwhile, the commit is refused and the purchase fails with
 * {@link io.lockstarter.LockLostException}: nothing was written.
 */
@Service
class LockedShop implements Shop {

	private final Books books;

	private final Thinking thinking;

	LockedShop(Books books, Thinking thinking) {
		this.books = books;
		this.thinking = thinking;
	}

	@Override
	public Protection protection() {
		return Protection.LOCK;
	}

	@Override
	@DistributedLock(key = "stock:#{#productId}", ttl = "${sale.ttl}", waitTime = "${sale.wait-time}")
	@Transactional
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
