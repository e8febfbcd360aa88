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
