// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;
import java.util.Objects;

import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A monitor: right in one JVM, and no protection at all from a second instance.
 * <p>
 * The transaction is inside. With {@code @Transactional} on a synchronized method it
 * would be outside, and commit after the next buyer has read the old stock.
 */
@Service
class SynchronizedShop implements Shop {

	private final Books books;

	private final Thinking thinking;

	private final TransactionOperations transaction;

	SynchronizedShop(Books books, Thinking thinking, TransactionOperations transaction) {
		this.books = books;
		this.thinking = thinking;
		this.transaction = transaction;
	}

	@Override
	public Protection protection() {
		return Protection.SYNCHRONIZED;
	}

	@Override
	public synchronized Order buy(long productId, Duration thinkTime) {
		return Objects.requireNonNull(this.transaction.execute((status) -> {
			int stock = this.books.stock(productId);
			if (stock <= 0) {
				throw new SoldOutException(productId);
			}
			this.thinking.think(thinkTime);
			this.books.writeStock(productId, stock - 1);
			return this.books.addOrder(productId);
		}));
	}

}
