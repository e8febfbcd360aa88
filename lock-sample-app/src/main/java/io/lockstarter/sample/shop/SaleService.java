// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.Fence;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Starts sales and tells how they are going.
 */
@Service
public class SaleService {

	private final Books books;

	private final StringRedisTemplate redis;

	SaleService(Books books, StringRedisTemplate redis) {
		this.books = books;
		this.redis = redis;
	}

	/**
	 * Return how a sale is going.
	 * @param productId the product
	 * @return the sale
	 */
	public Sale sale(long productId) {
		return this.books.sale(productId);
	}

	/**
	 * Start a new sale. Under the lock of the buyers, or one of them could write back the
	 * stock of the old sale; and fenced, so that a late one in the shop with a fence
	 * cannot either.
	 * @param productId the product
	 * @param items how many there are
	 */
	@DistributedLock(key = "stock:#{#productId}", ttl = "${sale.ttl}", waitTime = "${sale.wait-time}",
			fence = Fence.TRANSACTION)
	@Transactional
	public void restart(long productId, int items) {
		this.books.offer(productId, items);
		this.redis.opsForValue().set(Stock.key(productId), String.valueOf(items));
	}

}
