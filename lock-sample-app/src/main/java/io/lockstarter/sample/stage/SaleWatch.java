// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

import io.lockstarter.sample.shop.Sale;
import io.lockstarter.sample.shop.SaleService;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

import tools.jackson.databind.json.JsonMapper;

/**
 * Shows the books and the lock to the pages of this instance.
 */
@Component
class SaleWatch {

	private final EventStream stream;

	private final SaleService sales;

	private final RedisLink redis;

	private final JsonMapper json;

	private final String lockKey;

	SaleWatch(EventStream stream, SaleService sales, RedisLink redis, JsonMapper json,
			@Value("${distributed-lock.key-prefix}") String prefix) {
		this.stream = stream;
		this.sales = sales;
		this.redis = redis;
		this.json = json;
		// As written down in docs/internals/protocol.md. Only to look at: never touch it.
		this.lockKey = "{%s}lock:stock:%d".formatted(prefix, Stage.PRODUCT);
	}

	@Scheduled(fixedDelay = 200)
	void look() {
		if (this.stream.isWatched()) {
			Optional<Long> expiry = this.redis.ask((redis) -> redis.getExpire(this.lockKey, TimeUnit.MILLISECONDS));
			State state = new State(Micros.now(), this.sales.sale(Stage.PRODUCT), expiry.isPresent(),
					expiry.filter((millis) -> millis >= 0).orElse(null));
			this.stream.send("sale", this.json.writeValueAsString(state));
		}
	}

	/**
	 * What the page gets.
	 *
	 * @param at when this was seen, in microseconds of the day's clock
	 * @param sale the books
	 * @param redis whether Redis can be reached
	 * @param lockExpiresIn in how many milliseconds Redis drops the lock unless it is
	 * renewed; {@code null} while nobody holds it, or that is unknown
	 */
	record State(long at, Sale sale, boolean redis, @Nullable Long lockExpiresIn) {
	}

}
