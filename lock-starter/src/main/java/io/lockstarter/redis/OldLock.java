// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.Arrays;
import java.util.List;
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
	 * Return what keys and names begin and end with. Without a star there is no end.
	 */
	List<@Nullable String> ends() {
		String[] own = this.keys.split("\\*", -1);
		String[] old = this.oldKey.split("\\*", -1);
		return (own.length == 1) ? Arrays.asList(own[0], null, old[0]) : Arrays.asList(own[0], own[1], old[0], old[1]);
	}

	/**
	 * Return what the old lock of a key is called; {@code null} if it has none.
	 */
	@Nullable String nameFor(String key) {
		List<@Nullable String> ends = ends();
		String head = String.valueOf(ends.get(0));
		String tail = ends.get(1);
		if (tail == null) {
			return key.equals(head) ? ends.get(2) : null;
		}
		if (key.length() < head.length() + tail.length() || !key.startsWith(head) || !key.endsWith(tail)) {
			return null;
		}
		return ends.get(2) + key.substring(head.length(), key.length() - tail.length()) + ends.get(3);
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

		/**
		 * Return how inspect-old-locks.lua finds out who holds it: by what its key is.
		 */
		String inspectedAs() {
			return switch (this) {
				case REDISSON -> "hash";
				case GETSET_MILLIS -> "1";
				case GETSET_SECONDS -> "1000";
				default -> "string";
			};
		}

	}

}
