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
