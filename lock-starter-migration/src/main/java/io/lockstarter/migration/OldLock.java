// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.migration;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Locks that another library, or code written by hand, keeps in the same Redis. Whoever
 * acquires one of our keys takes the old lock together with it, so that instances with
 * either exclude each other.
 *
 * @param keys which keys of ours have an old lock: one key, or a pattern with one
 * {@code *}
 * @param from what kind of locks they are
 * @param oldKey what they are called in Redis; a {@code *} stands for what the one in
 * {@code keys} stands for
 * @since 0.1
 */
public record OldLock(String keys, Format from, String oldKey) {

	public OldLock {
		require(!keys.isBlank(), "keys must not be blank");
		require(!oldKey.isBlank(), "oldKey must not be blank");
		require(stars(keys) <= 1, "keys must have one '*' at most, but is '%s'".formatted(keys));
		require(stars(oldKey) == stars(keys),
				"oldKey must have %s, as the keys '%s' have, but is '%s': each key has an old lock of its own"
					.formatted((stars(keys) == 1) ? "one '*'" : "no '*'", keys, oldKey));
	}

	/**
	 * Return what the old lock of a key is called.
	 * @param key a key of ours
	 * @return the name in Redis; {@code null} if the key has no old lock
	 */
	public @Nullable String nameFor(String key) {
		String[] own = this.keys.split("\\*", -1);
		if (own.length == 1) {
			return key.equals(this.keys) ? this.oldKey : null;
		}
		if (key.length() < own[0].length() + own[1].length() || !key.startsWith(own[0]) || !key.endsWith(own[1])) {
			return null;
		}
		return this.oldKey.replace("*", key.substring(own[0].length(), key.length() - own[1].length()));
	}

	private static long stars(String pattern) {
		return pattern.chars().filter((character) -> character == '*').count();
	}

	private static void require(boolean valid, String message) {
		if (!valid) {
			throw new IllegalArgumentException(message);
		}
	}

	/**
	 * Kinds of locks.
	 */
	public enum Format {

		/**
		 * Written by hand with {@code SET key value NX PX}, or by a library that does the
		 * same, such as Lock4j.
		 */
		SET_NX,

		/**
		 * The {@code RedisLockRegistry} of Spring Integration.
		 */
		SPRING_INTEGRATION,

		/**
		 * ShedLock with one of its providers for Redis.
		 */
		SHEDLOCK,

		/**
		 * The {@code RLock} of Redisson.
		 */
		REDISSON,

		/**
		 * Written by hand with {@code SETNX} and {@code GETSET}, with a time in
		 * milliseconds.
		 */
		GETSET_MILLIS,

		/**
		 * Written by hand with {@code SETNX} and {@code GETSET}, with a time in seconds.
		 */
		GETSET_SECONDS;

		/**
		 * Return what properties call it.
		 * @return the name in lower case, with hyphens
		 */
		public String text() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
