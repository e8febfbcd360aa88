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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Reads scripts for Redis. Once, into a text: a script made of a resource looks for its
 * date each time it is run.
 */
final class Scripts {

	private Scripts() {
	}

	static RedisScript<Long> read(String name) {
		try {
			return RedisScript.of(new ClassPathResource("scripts/" + name).getContentAsString(StandardCharsets.UTF_8),
					Long.class);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
