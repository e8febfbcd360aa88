package io.lockstarter.sample.stage;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

import tools.jackson.databind.json.JsonMapper;

/**
 * Tells all instances, and through them all pages, what happens here: each event is
 * published in Redis, on a channel of its kind, as JSON.
 */
@Component
class Stage {

	/**
	 * The product that is sold on the page.
	 */
	static final long PRODUCT = 10100101;

	static final String CHANNEL_PREFIX = "sale:stage:";

	private final StringRedisTemplate redis;

	private final JsonMapper json;

	Stage(StringRedisTemplate redis, JsonMapper json) {
		this.redis = redis;
		this.json = json;
	}

	void publish(String kind, Object event) {
		this.redis.convertAndSend(CHANNEL_PREFIX + kind, this.json.writeValueAsString(event));
	}

}
