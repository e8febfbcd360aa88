// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * One atomic command: {@code DECR} counts down in Redis and tells each buyer another
 * number. Nobody waits for anybody.
 * <p>
 * The counter and the database are two places. A crash between them loses an item, but
 * never sells one twice.
 */
@Service
class CounterShop implements Shop {

	private final StringRedisTemplate redis;

	private final Books books;

	private final Thinking thinking;

	CounterShop(StringRedisTemplate redis, Books books, Thinking thinking) {
		this.redis = redis;
		this.books = books;
		this.thinking = thinking;
	}

	@Override
	public Protection protection() {
		return Protection.COUNTER;
	}

	@Override
	@Transactional
	public Order buy(long productId, Duration thinkTime) {
		Long left = this.redis.opsForValue().decrement(Stock.key(productId));
		if (left == null || left < 0) {
			throw new SoldOutException(productId);
		}
		this.thinking.think(thinkTime);
		this.books.takeOne(productId);
		return this.books.addOrder(productId);
	}

}
