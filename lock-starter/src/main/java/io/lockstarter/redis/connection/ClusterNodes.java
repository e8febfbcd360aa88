// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a Redis Cluster: which of them has which slot. The cluster is asked
 * whenever somebody has to connect; a node that redirects knows better. Thread-safe.
 */
final class ClusterNodes {

	private static final int ASKED_AT_ONCE = 3;

	/**
	 * For how long it counts what a node said: several commands hear the same, and one
	 * connection follows, after a pause of up to a second.
	 */
	private static final long MEMORY = TimeUnit.SECONDS.toNanos(3);

	private final List<RedisURI> seeds;

	private final Ticker ticker;

	private final Function<RedisURI, CompletableFuture<SharedConnection>> connect;

	private final UnaryOperator<CompletableFuture<List<Object>>> limit;

	private final Map<Integer, Redirection> redirected = new HashMap<>();

	private List<Slots> known = List.of();

	private @Nullable CompletableFuture<List<Slots>> asking;

	private int turn;

	/**
	 * Create nodes, without connecting.
	 * @param seeds where to ask first
	 * @param ticker the clock
	 * @param connect connects to a node, for as long as it takes to ask; shares the
	 * connection with others
	 * @param limit limits the time for an answer
	 */
	ClusterNodes(List<RedisURI> seeds, Ticker ticker, Function<RedisURI, CompletableFuture<SharedConnection>> connect,
			UnaryOperator<CompletableFuture<List<Object>>> limit) {
		this.seeds = seeds;
		this.ticker = ticker;
		this.connect = connect;
		this.limit = limit;
	}

	/**
	 * Find the node that has a slot: the one that another named, or else the one that the
	 * cluster names now.
	 */
	CompletableFuture<RedisURI> find(int slot) {
		synchronized (this) {
			Redirection named = this.redirected.remove(slot);
			if (named != null && this.ticker.nanoTime() - named.since() < MEMORY) {
				return CompletableFuture.completedFuture(named.node());
			}
		}
		return ask().thenApply((ranges) -> ranges.stream()
			.filter((range) -> range.first() <= slot && slot <= range.last())
			.findFirst()
			.map((range) -> at(range.host(), range.port()))
			.orElseThrow(() -> new RedisConnectionException("no node of the cluster has the slot " + slot)));
	}

	/**
	 * Find all nodes that have slots, in the order of their slots.
	 */
	CompletableFuture<List<RedisURI>> findAll() {
		return ask().thenApply((ranges) -> List.copyOf(nodesOf(ranges).values()));
	}

	/**
	 * Note what a node said that does not have a slot any more.
	 * @param redirection such as {@code MOVED 3999 127.0.0.1:6381}; without a host it is
	 * another port of the same
	 */
	void redirected(RedisURI from, String redirection) {
		String[] words = redirection.trim().split(" ", -1);
		int colon = (words.length >= 3) ? words[2].lastIndexOf(':') : -1;
		if (colon >= 0) {
			String host = words[2].substring(0, colon);
			RedisURI named = at(isUnknown(host) ? from.getHost() : host,
					Integer.parseInt(words[2].substring(colon + 1)));
			synchronized (this) {
				this.redirected.put(Integer.valueOf(words[1]), new Redirection(named, this.ticker.nanoTime()));
			}
		}
	}

	private CompletableFuture<List<Slots>> ask() {
		CompletableFuture<List<Slots>> answer;
		List<RedisURI> candidates;
		synchronized (this) {
			if (this.asking != null) {
				return this.asking;
			}
			answer = new CompletableFuture<>();
			this.asking = answer;
			candidates = candidates();
		}
		var unused = LettuceClient.begin(() -> ask(candidates, 0)).whenComplete((ranges, failure) -> {
			synchronized (this) {
				this.asking = null;
				this.known = (ranges != null) ? ranges : this.known;
			}
			if (ranges != null) {
				answer.complete(ranges);
			}
			else {
				answer.completeExceptionally(failure);
			}
		});
		return answer;
	}

	/**
	 * Ask some nodes at once, as one of them may hang, and then others.
	 */
	private CompletableFuture<List<Slots>> ask(List<RedisURI> candidates, int from) {
		int to = Math.min(candidates.size(), from + ASKED_AT_ONCE);
		CompletableFuture<List<Slots>> first = new CompletableFuture<>();
		AtomicInteger left = new AtomicInteger(to - from);
		for (RedisURI candidate : candidates.subList(from, to)) {
			var unused = ask(candidate).whenComplete((ranges, failure) -> {
				if (failure == null) {
					first.complete(ranges);
				}
				else if (left.decrementAndGet() == 0) {
					first.completeExceptionally(failure);
				}
			});
		}
		return first.exceptionallyCompose(
				(failure) -> (to < candidates.size()) ? ask(candidates, to) : CompletableFuture.failedFuture(failure));
	}

	private CompletableFuture<List<Slots>> ask(RedisURI node) {
		return this.connect.apply(node)
			.thenCompose((server) -> this.limit.apply(server.connection().async().clusterSlots().toCompletableFuture())
				.thenApply((ranges) -> parse(ranges, node))
				.whenComplete((ranges, failure) -> {
					if (failure instanceof CompletionException && failure.getCause() instanceof TimeoutException) {
						server.retire();
					}
					var unused = server.leave();
				}));
	}

	// One of them may be cut off from the others, and not know of it: another one each
	// time.
	private List<RedisURI> candidates() {
		Map<String, RedisURI> nodes = nodesOf(this.known);
		List<RedisURI> candidates = new ArrayList<>(nodes.values());
		if (!candidates.isEmpty()) {
			Collections.rotate(candidates, this.turn);
		}
		List<RedisURI> others = new ArrayList<>(
				this.seeds.stream().filter((seed) -> !nodes.containsKey(Addresses.name(seed))).toList());
		Collections.rotate(others, this.turn++);
		candidates.addAll(others);
		return candidates;
	}

	private Map<String, RedisURI> nodesOf(List<Slots> ranges) {
		Map<String, RedisURI> nodes = new LinkedHashMap<>();
		ranges.stream()
			.sorted(Comparator.comparingInt(Slots::first))
			.map((range) -> at(range.host(), range.port()))
			.forEach((node) -> nodes.putIfAbsent(Addresses.name(node), node));
		return nodes;
	}

	private static List<Slots> parse(List<Object> ranges, RedisURI asked) {
		if (ranges.isEmpty()) {
			throw new RedisConnectionException("the node %s belongs to no cluster".formatted(Addresses.name(asked)));
		}
		return ranges.stream().map((range) -> slots((List<?>) range, asked)).toList();
	}

	/**
	 * Read the first slot, the last one, and the node that has them. A node that does not
	 * know its name, or is not to tell it, leaves it out: it is the one that was asked.
	 * Lettuce's parser would list each of the slots.
	 */
	private static Slots slots(List<?> range, RedisURI asked) {
		List<?> node = (List<?>) range.get(2);
		Object host = node.get(0);
		return new Slots(number(range.get(0)), number(range.get(1)),
				isUnknown(host) ? asked.getHost() : host.toString(), number(node.get(1)));
	}

	private static int number(Object value) {
		return Math.toIntExact((Long) value);
	}

	private static boolean isUnknown(@Nullable Object host) {
		return host == null || host.equals("") || host.equals("?");
	}

	private RedisURI at(String host, int port) {
		RedisURI address = Addresses.copy(this.seeds.get(0));
		address.setHost(host);
		address.setPort(port);
		return address;
	}

	private record Slots(int first, int last, String host, int port) {
	}

	private record Redirection(RedisURI node, long since) {
	}

}
