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
import java.util.List;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * An atomic script: Redis itself checks, subtracts and remembers, and runs nothing else
 * meanwhile. For rules that one command cannot express, such as not going below zero.
 */
@Service
class ScriptShop implements Shop {

	private static final RedisScript<Long> RESERVE = Scripts.read("reserve.lua");

	private final StringRedisTemplate redis;

	private final Books books;

	private final Thinking thinking;

	ScriptShop(StringRedisTemplate redis, Books books, Thinking thinking) {
		this.redis = redis;
		this.books = books;
		this.thinking = thinking;
	}

	@Override
	public Protection protection() {
		return Protection.SCRIPT;
	}

	@Override
	@Transactional
	public Order buy(long productId, Duration thinkTime) {
		Long left = this.redis.execute(RESERVE, List.of(Stock.key(productId)), "1");
		if (left == null || left < 0) {
			throw new SoldOutException(productId);
		}
		this.thinking.think(thinkTime);
		this.books.takeOne(productId);
		return this.books.addOrder(productId);
	}

}
