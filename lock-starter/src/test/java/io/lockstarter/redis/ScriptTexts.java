// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.stream.Stream;

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
	 * @return its text
	 */
	public static String commands(RedisStoreSettings settings, boolean cluster) {
		return StoreScripts.of(settings, cluster).commands();
	}

	/**
	 * Return the script of a store on one server.
	 */
	public static BatchScript script(RedisStoreSettings settings) {
		return new LockScript(() -> StoreScripts.of(settings, false), new RedisNames(settings.keyPrefix()),
				settings.scriptPart());
	}

	/**
	 * Return all keys of a lock, for the script that executes commands.
	 * @param lock the name of the lock
	 * @return the lock and what follows it
	 */
	public static List<String> keys(String lock) {
		return Stream.of("lock:", "queue:", "readers:", "forced:")
			.map((kind) -> lock.replaceFirst("}lock:", "}" + kind))
			.toList();
	}

	/**
	 * Return a command that has all keys of its locks.
	 * @param command its name, with its flags behind it, and its arguments
	 * @return what stands in the call
	 */
	public static List<String> inFull(List<String> command) {
		String[] parts = command.get(0).split("(?=\\+)", 2);
		return Stream.concat(Stream.of((parts.length > 1) ? parts[1] : "+", parts[0]), command.stream().skip(1))
			.toList();
	}

	/**
	 * Return another script.
	 * @param name of its file, without the end
	 * @return its text
	 */
	public static String named(String name) {
		return ScriptPart.read(ScriptPart.class, name);
	}

}
