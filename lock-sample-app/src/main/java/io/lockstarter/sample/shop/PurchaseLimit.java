// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;
import java.util.List;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.stereotype.Component;

/**
 * So many purchases a minute for each address, in all instances together. A limit needs
 * no lock: Redis counts and decides in one script.
 */
@Component
class PurchaseLimit {

	private static final RedisScript<Long> LIMIT = Scripts.read("limit.lua");

	private static final int PURCHASES = 20;

	private static final Duration WINDOW = Duration.ofMinutes(1);

	private final StringRedisTemplate redis;

	PurchaseLimit(StringRedisTemplate redis) {
		this.redis = redis;
	}

	/**
	 * Count a purchase.
	 * @throws TooManyPurchasesException if it is one too many; it is not counted then
	 */
	void check(String address) {
		Long wait = this.redis.execute(LIMIT, List.of("sale:purchases:" + address), String.valueOf(PURCHASES),
				String.valueOf(WINDOW.toMillis()));
		if (wait == null || wait > 0) {
			throw new TooManyPurchasesException(PURCHASES, (wait != null) ? Duration.ofMillis(wait) : WINDOW);
		}
	}

}
