// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

import io.lockstarter.redis.connection.BatchScript;

/**
 * The scripts as the store sends them, for tests of other packages.
 */
public final class ScriptTexts {

	private ScriptTexts() {
	}

	/**
	 * Return the script that executes commands for locks.
	 * @param cluster whether it is for a Redis Cluster
	 * @param abstention for how long a server that votes abstains; {@code null} for one
	 * that decides alone
	 * @return its text
	 */
	public static String commands(RedisStoreSettings settings, boolean cluster, @Nullable Duration abstention) {
		return StoreScripts.of(settings, cluster, abstention).commands();
	}

	/**
	 * Return the script of a store on one server, with its ways to get a server ready.
	 */
	public static BatchScript script(RedisStoreSettings settings) {
		return new LockScript(() -> StoreScripts.of(settings, false, null), new RedisNames(settings.keyPrefix()),
				(server) -> {
				});
	}

	/**
	 * Return the script that reads all that is known of a lock.
	 * @param withOldLock whether also of the one of another library
	 * @return its text
	 */
	public static String inspection(boolean withOldLock) {
		return StoreScripts.inspection(withOldLock);
	}

	/**
	 * Return another script.
	 * @param name of its file, without the end
	 * @return its text
	 */
	public static String named(String name) {
		try {
			return new ClassPathResource("/META-INF/lock-starter/" + name + ".lua")
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
