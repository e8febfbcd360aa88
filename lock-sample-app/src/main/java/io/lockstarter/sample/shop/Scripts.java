// SPDX-License-Identifier: Apache-2.0
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
