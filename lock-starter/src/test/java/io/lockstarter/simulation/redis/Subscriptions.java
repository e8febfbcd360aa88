// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Who listens to what at a server. Not thread-safe.
 */
final class Subscriptions {

	private final Map<Kind, Map<String, Set<SmallClient>>> listeners = new LinkedHashMap<>();

	Subscriptions() {
		for (Kind kind : Kind.values()) {
			this.listeners.put(kind, new LinkedHashMap<>());
		}
	}

	private Map<String, Set<SmallClient>> of(Kind kind) {
		return this.listeners.getOrDefault(kind, Map.of());
	}

	void subscribe(SmallClient client, Kind kind, String name) {
		of(kind).computeIfAbsent(name, (key) -> new LinkedHashSet<>()).add(client);
		confirm(client, kind, kind.verb, name);
	}

	/**
	 * End one subscription, whether there is any or not.
	 * @param name of what; {@code null} to only say so
	 */
	void unsubscribe(SmallClient client, Kind kind, @Nullable String name) {
		if (name != null) {
			remove(client, kind, name);
		}
		confirm(client, kind, kind.opposite, name);
	}

	private void remove(SmallClient client, Kind kind, String name) {
		Set<SmallClient> clients = of(kind).get(name);
		if (clients != null && clients.remove(client) && clients.isEmpty()) {
			of(kind).remove(name);
		}
	}

	private void confirm(SmallClient client, Kind kind, String verb, @Nullable String name) {
		long count = (kind == Kind.SHARD) ? names(client, kind).size()
				: names(client, Kind.CHANNEL).size() + names(client, Kind.PATTERN).size();
		client.push(array(new Reply.Bulk(verb), (name != null) ? new Reply.Bulk(name) : Reply.NIL, Reply.of(count)));
	}

	List<String> names(SmallClient client, Kind kind) {
		List<String> names = new ArrayList<>();
		of(kind).forEach((name, clients) -> {
			if (clients.contains(client)) {
				names.add(name);
			}
		});
		return names;
	}

	/**
	 * Return whether somebody listens to a name.
	 */
	boolean isHeard(String name) {
		return this.listeners.values().stream().anyMatch((names) -> names.containsKey(name));
	}

	boolean isSubscribed(SmallClient client) {
		for (Map<String, Set<SmallClient>> names : this.listeners.values()) {
			for (Set<SmallClient> clients : names.values()) {
				if (clients.contains(client)) {
					return true;
				}
			}
		}
		return false;
	}

	void removeAll(SmallClient client) {
		for (Kind kind : Kind.values()) {
			names(client, kind).forEach((name) -> remove(client, kind, name));
		}
	}

	/**
	 * End the subscriptions to channels that another node has from now on.
	 */
	void removeShardChannels(Predicate<String> moved) {
		for (String name : of(Kind.SHARD).keySet().stream().filter(moved).toList()) {
			List.copyOf(of(Kind.SHARD).getOrDefault(name, Set.of()))
				.forEach((client) -> unsubscribe(client, Kind.SHARD, name));
		}
	}

	/**
	 * Deliver a message.
	 * @return how many received it
	 */
	int publish(Message message) {
		Reply payload = new Reply.Bulk(message.payload());
		Reply channel = new Reply.Bulk(message.channel());
		if (message.sharded()) {
			return push(Kind.SHARD, message.channel(), array(new Reply.Bulk("smessage"), channel, payload));
		}
		int receivers = push(Kind.CHANNEL, message.channel(), array(new Reply.Bulk("message"), channel, payload));
		for (String pattern : List.copyOf(of(Kind.PATTERN).keySet())) {
			if (Glob.matches(pattern, message.channel())) {
				receivers += push(Kind.PATTERN, pattern,
						array(new Reply.Bulk("pmessage"), new Reply.Bulk(pattern), channel, payload));
			}
		}
		return receivers;
	}

	private static Reply.Array array(Reply... parts) {
		return new Reply.Array(List.of(parts));
	}

	private int push(Kind kind, String name, Reply.Array message) {
		List<SmallClient> receivers = List.copyOf(of(kind).getOrDefault(name, Set.of()));
		receivers.forEach((client) -> client.push(message));
		return receivers.size();
	}

	int count(Kind kind, String name) {
		return of(kind).getOrDefault(name, Set.of()).size();
	}

	List<String> names(Kind kind) {
		return List.copyOf(of(kind).keySet());
	}

	enum Kind {

		CHANNEL("subscribe", "unsubscribe"), PATTERN("psubscribe", "punsubscribe"), SHARD("ssubscribe", "sunsubscribe");

		final String verb;

		final String opposite;

		Kind(String verb, String opposite) {
			this.verb = verb;
			this.opposite = opposite;
		}

	}

	record Message(String channel, String payload, boolean sharded) {
	}

}
