// SPDX-License-Identifier: Apache-2.0
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
