// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * No protection. The transaction alone is none: two of them read the same stock, sell the
 * same item, and the second overwrites what the first has written.
 */
@Service
class UnprotectedShop implements Shop {

	private final Books books;

	private final Thinking thinking;

	UnprotectedShop(Books books, Thinking thinking) {
		this.books = books;
		this.thinking = thinking;
	}

	@Override
	public Protection protection() {
		return Protection.NONE;
	}

	@Override
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
