// SPDX-License-Identifier: Apache-2.0
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
		String script = ScriptTexts.commands(RedisStoreSettings.defaults(), false);
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
