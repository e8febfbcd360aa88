// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Redis for those who ask it several times a second and go on without it: that it cannot
 * be reached is no exception to them, and is logged once.
 */
@Component
class RedisLink {

	private static final Log logger = LogFactory.getLog(RedisLink.class);

	private final AtomicBoolean up = new AtomicBoolean(true);

	private final StringRedisTemplate redis;

	RedisLink(StringRedisTemplate redis) {
		this.redis = redis;
	}

	/**
	 * Ask Redis.
	 * @return the answer, or nothing if there is none
	 */
	<T> Optional<T> ask(Function<StringRedisTemplate, T> question) {
		try {
			T answer = question.apply(this.redis);
			if (this.up.compareAndSet(false, true)) {
				logger.info("The page has Redis again");
			}
			return Optional.of(answer);
		}
		catch (DataAccessException ex) {
			if (this.up.compareAndSet(true, false)) {
				logger.warn("The page goes on without Redis until that is back: %s"
					.formatted(ex.getMostSpecificCause().getMessage()));
			}
			return Optional.empty();
		}
	}

}
