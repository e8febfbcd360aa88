// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ClassPathResource;

/**
 * What another jar adds to the script of a {@link RedisLockStore}: Lua between lock.lua
 * and commands.lua, which may put functions in the place of {@code acquire},
 * {@code release} and {@code first_token}, or of those that {@code uncommon()} returns,
 * that call the ones before, and name more commands in {@code further}. All commands of a
 * store with a part name all keys of their locks: so what another command of its own
 * follows is never sent a second time behind that. Such a store reserves a key for the
 * next instance when it is released, and grants it to nobody. Immutable.
 *
 * @since 0.1
 */
public class ScriptPart {

	/**
	 * Adds nothing.
	 */
	public static final ScriptPart NONE = new ScriptPart("");

	private final String text;

	/**
	 * Create a part.
	 * @param text the Lua, with the constants that it needs
	 */
	protected ScriptPart(String text) {
		this.text = text;
	}

	final String text() {
		return this.text;
	}

	/**
	 * Return the keys that follow the fence in a call.
	 * @param tag what all keys of the store begin with
	 * @param asks whether the call asks the server to follow the one before
	 * @return their names, for a call that asks the server key first
	 */
	protected List<String> firstKeys(String tag, boolean asks) {
		return asks ? List.of(tag + "server") : List.of();
	}

	/**
	 * Return the keys that follow a lock and its own ones in a call.
	 * @param tag what all keys of the store begin with
	 * @param key the key of the lock, as applications know it
	 * @return their names, as many for each lock
	 */
	protected List<String> keysBeside(String tag, String key) {
		return List.of();
	}

	/**
	 * Return whether locks can be shared.
	 * @return whether they can
	 */
	protected boolean isShareable() {
		return true;
	}

	/**
	 * Check that a store can have this part.
	 * @param settings its settings
	 * @param cluster whether it is in a Redis Cluster
	 * @throws RuntimeException if it cannot
	 */
	public void check(RedisStoreSettings settings, boolean cluster) {
	}

	/**
	 * Check a server before it executes commands over a new connection.
	 * @param runId what identifies its process; {@code null} if unknown
	 * @throws RuntimeException if it must not be used
	 */
	protected void checkServer(@Nullable String runId) {
	}

	/**
	 * Return what a server that cannot be reached means, for the log.
	 * @param address the server
	 * @return a part of a sentence, which ends with where to look
	 */
	protected String whileUnreachable(String address) {
		return "locks are neither acquired nor renewed, and are lost after their ttl. Look at "
				+ "Redis, at the network and at 'spring.data.redis.*' or 'distributed-lock.url'";
	}

	/**
	 * Read a script of {@code META-INF/lock-starter}.
	 * @param owner a class of the jar that has it
	 * @param name the name of its file, without the end
	 * @return its text
	 */
	public static String read(Class<?> owner, String name) {
		try (InputStream text = new ClassPathResource("/META-INF/lock-starter/" + name + ".lua", owner)
			.getInputStream()) {
			return new String(text.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
