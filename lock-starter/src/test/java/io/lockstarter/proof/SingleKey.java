// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.jspecify.annotations.Nullable;

/**
 * The keys that a lock has at a server, each of which may be deleted, or evicted, alone.
 */
enum SingleKey {

	LOCK("lock:"), READERS("readers:"), QUEUE("queue:"), FENCE("fence");

	private static final String DELETE = """
			EVAL "local readers = redis.call('ZRANGE', KEYS[2], 0, -1) \
			local lock = redis.call('GET', KEYS[1]) or '!' \
			return {ok = redis.call('DEL', KEYS[3]) .. ' ' .. lock .. ' ' .. table.concat(readers, ' ')}" \
			3 %slock:%s %sreaders:%s %s""";

	private final String name;

	SingleKey(String name) {
		this.name = name;
	}

	static SingleKey any(Random random) {
		return values()[random.nextInt(values().length)];
	}

	/**
	 * Return whether it says who holds the lock.
	 */
	boolean isOfHolders() {
		return this == LOCK || this == READERS;
	}

	/**
	 * Delete it.
	 * @param tag the hash tag of the lock
	 * @return who held the lock, as far as the server knew; {@code null} if there was no
	 * such key
	 */
	@Nullable Held delete(String tag, String key, int port) {
		String name = tag + this.name + ((this != FENCE) ? key : "");
		String reply = Raw.ask(port, DELETE.formatted(tag, key, tag, key, name));
		List<String> words = Arrays.asList(reply.split(" ", -1));
		if (!words.get(0).equals("+1")) {
			return null;
		}
		String lock = words.get(1);
		return new Held(lock.equals("&") ? words.subList(2, words.size()) : List.of(lock.replaceAll("^&|[*~]$", "")));
	}

	/**
	 * Who held a lock.
	 *
	 * @param ownerIds their owner ids
	 */
	record Held(List<String> ownerIds) {

	}

}
