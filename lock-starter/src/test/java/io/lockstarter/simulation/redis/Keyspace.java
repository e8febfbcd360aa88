// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The keys of a server, with the time as it is for the command under way, and what that
 * command changed. Not thread-safe.
 */
final class Keyspace {

	private final Map<String, Entry> entries = new LinkedHashMap<>();

	// null for what was deleted
	private Map<String, @Nullable Entry> changes = new LinkedHashMap<>();

	private long now;

	private boolean replica;

	/**
	 * Freeze the time until it is set again.
	 * @param millis by the clock of the server
	 */
	void freeze(long millis) {
		this.now = millis;
	}

	long now() {
		return this.now;
	}

	/**
	 * A replica hides what expired, and leaves it to its primary to delete it.
	 */
	void setReplica(boolean replica) {
		this.replica = replica;
	}

	@Nullable Entry find(String key) {
		Entry entry = this.entries.get(key);
		if (entry == null || !entry.isOver(this.now)) {
			return entry;
		}
		if (!this.replica) {
			remove(key);
		}
		return null;
	}

	/**
	 * Return what is there at an instant, and leave what expired alone.
	 */
	@Nullable Entry peek(String key, long millis) {
		Entry entry = this.entries.get(key);
		return (entry != null && !entry.isOver(millis)) ? entry : null;
	}

	/**
	 * Find a value of one type.
	 * @throws Refusal if it is of another one
	 */
	<T extends Stored> @Nullable T find(String key, Class<T> type) {
		Entry entry = find(key);
		if (entry == null) {
			return null;
		}
		if (!type.isInstance(entry.value())) {
			throw new Refusal("WRONGTYPE Operation against a key holding the wrong kind of value");
		}
		return type.cast(entry.value());
	}

	<T extends Stored> T find(String key, Class<T> type, T otherwise) {
		T found = find(key, type);
		return (found != null) ? found : otherwise;
	}

	void put(String key, Entry entry) {
		this.entries.put(key, entry);
		this.changes.put(key, entry);
	}

	/**
	 * Change a value, which goes on to expire when it did; one that became empty is
	 * deleted.
	 */
	void replace(String key, Stored value) {
		Entry before = find(key);
		if ((value instanceof Stored.Scores scores && scores.members().isEmpty())
				|| (value instanceof Stored.Fields fields && fields.values().isEmpty())) {
			remove(key);
		}
		else {
			put(key, (before != null) ? before.holding(value) : new Entry(value, Entry.NEVER));
		}
	}

	boolean remove(String key) {
		boolean there = this.entries.remove(key) != null;
		if (there) {
			this.changes.put(key, null);
		}
		return there;
	}

	void clear() {
		List.copyOf(this.entries.keySet()).forEach(this::remove);
	}

	/**
	 * Delete what expired, as Redis does in the background.
	 */
	void expire() {
		List.copyOf(this.entries.keySet()).forEach(this::find);
	}

	/**
	 * Return what a client can see, in the order of names.
	 */
	Map<String, Entry> visible() {
		Map<String, Entry> visible = new TreeMap<>(this.entries);
		visible.values().removeIf((entry) -> entry.isOver(this.now));
		return Collections.unmodifiableMap(visible);
	}

	Map<String, Entry> copy() {
		return new LinkedHashMap<>(this.entries);
	}

	/**
	 * Become another keyspace, without noting any change.
	 */
	void become(Map<String, Entry> others) {
		this.entries.clear();
		this.entries.putAll(others);
		this.changes.clear();
	}

	Map<String, @Nullable Entry> takeChanges() {
		if (this.changes.isEmpty()) {
			return Map.of();
		}
		Map<String, @Nullable Entry> taken = this.changes;
		this.changes = new LinkedHashMap<>();
		return taken;
	}

	void apply(Map<String, @Nullable Entry> others) {
		others.forEach((key, entry) -> {
			if (entry != null) {
				put(key, entry);
			}
			else {
				remove(key);
			}
		});
	}

	/**
	 * Look for the next keys. Whatever was there from the first to the last of these
	 * calls is found: keys come in an order that others do not alter.
	 * @return where to go on, zero if there is no more; and the keys
	 */
	Page scan(long cursor, long count) {
		List<String> keys = new ArrayList<>(visible().keySet());
		keys.removeIf((key) -> place(key) < cursor);
		keys.sort((a, b) -> Long.compare(place(a), place(b)));
		int end = (int) Math.min(count, keys.size());
		while (end < keys.size() && place(keys.get(end)) == place(keys.get(end - 1))) {
			end++;
		}
		return new Page((end < keys.size()) ? place(keys.get(end)) : 0, keys.subList(0, end));
	}

	// Looks as random as that of Redis, and is never zero.
	private static long place(String key) {
		return ((key.hashCode() * 0x9E3779B9L) & 0xFFFFFFFFL) + 1;
	}

	record Page(long next, List<String> keys) {
	}

}
