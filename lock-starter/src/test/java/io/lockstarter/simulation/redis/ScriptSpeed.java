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
package io.lockstarter.simulation.redis;

import java.util.Random;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptTexts;

/**
 * Measures how many calls of the script for locks a {@link SmallRedis} executes in a
 * second.
 */
final class ScriptSpeed {

	private static final int CALLS = 200_000;

	private ScriptSpeed() {
	}

	public static void main(String[] args) {
		long[] micros = { 1_700_000_000_000_000L };
		SmallRedis server = new SmallRedis("redis", 6379, () -> micros[0]++, new Random(1));
		SmallClient client = server.connect((push) -> {
		});
		String script = ScriptTexts.commands(RedisStoreSettings.defaults(), false, null);
		String digest = ((Reply.Bulk) client.execute("SCRIPT", "LOAD", script)).text();
		for (int round = 0; round < 5; round++) {
			long start = System.nanoTime();
			for (int i = 0; i < CALLS / 2; i++) {
				client.execute("EVALSHA", digest, "2", "{lock}fence", "{lock}lock:stock", "", "acquire", "a:" + i,
						"30000", "100");
				client.execute("EVALSHA", digest, "2", "{lock}fence", "{lock}lock:stock", "", "release", "a:" + i);
			}
			System.out.printf("%,.0f calls a second%n", CALLS * 1e9 / (System.nanoTime() - start));
		}
	}

}
