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
package io.lockstarter.sample.shop;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;

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
	 * stock of the old sale.
	 * @param productId the product
	 * @param items how many there are
	 */
	@DistributedLock(key = "stock:#{#productId}", ttl = "${sale.ttl}", waitTime = "${sale.wait-time}")
	@Transactional
	public void restart(long productId, int items) {
		this.books.offer(productId, items, LockScope.current().fencingToken());
		this.redis.opsForValue().set(Stock.key(productId), String.valueOf(items));
	}

}
