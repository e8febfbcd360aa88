// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

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

	private final RedisLink redis;

	private final EventStream pages;

	private final JsonMapper json;

	Stage(RedisLink redis, EventStream pages, JsonMapper json) {
		this.redis = redis;
		this.pages = pages;
		this.json = json;
	}

	/**
	 * Tell all instances.
	 * @return whether it was said; {@code false} if Redis cannot be reached
	 */
	boolean publish(String kind, Object event) {
		return publish(kind, this.json.writeValueAsString(event));
	}

	/**
	 * Show an event to all pages; if Redis cannot be reached, to those of this instance.
	 */
	void show(String kind, Object event) {
		String text = this.json.writeValueAsString(event);
		if (!publish(kind, text)) {
			this.pages.send(kind, text);
		}
	}

	private boolean publish(String kind, String text) {
		return this.redis.ask((redis) -> redis.convertAndSend(CHANNEL_PREFIX + kind, text)).isPresent();
	}

}
