// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * All connections to a Redis, or to a Redis Cluster, beside those of the application: for
 * commands, for messages, to its Sentinels, and for questions. They are made when
 * somebody needs them, and replaced when they are lost. Thread-safe.
 */
public final class RedisConnections {

	private static final Duration RETRY_IN_CLUSTER = Duration.ofMillis(200);

	private final CurrentClient current;

	private final ConnectionObserver observer;

	private final SentinelWatch sentinels;

	private final List<SlotConnections> slots;

	/**
	 * Create them, without connecting.
	 * @param application the Redis to connect to
	 * @param connectTimeout how long an attempt to connect may take at most
	 * @param retrySubscription the longest pause before a subscription is tried again
	 * @param apart whether each slot has another connection for commands that must not
	 * wait
	 * @param scripts the script of each slot, at least one; all have the same text
	 * @param observer told of connections
	 */
	public RedisConnections(ApplicationRedis application, Duration connectTimeout, Duration retrySubscription,
			boolean apart, List<? extends BatchScript> scripts, ConnectionObserver observer) {
		this.current = application.client(connectTimeout, scripts.get(0)::text);
		this.observer = observer;
		this.sentinels = new SentinelWatch(this.current, this::check);
		// The slot of a channel moves at times.
		Duration firstRetry = application.isCluster() ? RETRY_IN_CLUSTER : retrySubscription;
		SlotConnections.Shared shared = new SlotConnections.Shared(observer, firstRetry, retrySubscription,
				this::connected, this::closed);
		this.slots = IntStream.range(0, scripts.size())
			.mapToObj((index) -> new SlotConnections(index, this.current, scripts.get(index), shared, apart))
			.toList();
	}

	/**
	 * Return the connections of a slot.
	 * @param index that of its script
	 * @return its connections
	 */
	public SlotConnections slot(int index) {
		return this.slots.get(index);
	}

	/**
	 * Connect for commands, unless there are connections. Does not block.
	 * @return completes, always normally, when there are or the attempts have failed
	 */
	public CompletableFuture<?> open() {
		return CompletableFuture
			.allOf(this.slots.stream().map(SlotConnections::open).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Return how many connections for commands and for messages are open.
	 * @return how many
	 */
	public int count() {
		return (int) this.slots.stream().flatMap(SlotConnections::connections).distinct().count();
	}

	/**
	 * Give up all connections, and shut the client down. The next command opens others.
	 * @return completes when they are closed
	 */
	public CompletableFuture<?> close() {
		CompletableFuture<?> sentinelsClosed = this.sentinels.close();
		List<CompletableFuture<?>> closing = new ArrayList<>();
		closing.add(sentinelsClosed);
		this.slots.forEach((slot) -> closing.add(slot.close()));
		return this.current.close(CompletableFuture.allOf(closing.toArray(CompletableFuture<?>[]::new)));
	}

	/**
	 * Ask the server that has a slot, over a connection of its own. Does not block.
	 * @param <T> the type of answer
	 * @param slot the number of the slot
	 * @param question asks over the connection
	 * @return the answer; fails if it takes longer than a few seconds
	 */
	public <T> CompletableFuture<T> askSlot(int slot,
			Function<RedisAsyncCommands<String, String>, CompletionStage<T>> question) {
		return ask((client) -> client.find(slot), Function.identity(), (server, redis) -> question.apply(redis));
	}

	/**
	 * Ask one of the servers that have keys, over a connection of its own. Does not
	 * block.
	 * @param <T> the type of answer
	 * @param index its index; the last one if there are not that many
	 * @param question asks over the connection, and is told how many servers there are
	 * @return the answer; fails if it takes longer than a few seconds
	 */
	public <T> CompletableFuture<T> askNode(int index,
			BiFunction<Integer, RedisAsyncCommands<String, String>, CompletionStage<T>> question) {
		return ask(LettuceClient::findAll, (nodes) -> nodes.get(Math.min(index, nodes.size() - 1)),
				(nodes, redis) -> question.apply(nodes.size(), redis));
	}

	/**
	 * Ask a server.
	 * @param servers finds those that there are
	 * @param choice chooses one of them
	 */
	private <S, T> CompletableFuture<T> ask(Function<LettuceClient, CompletableFuture<S>> servers,
			Function<S, RedisURI> choice,
			BiFunction<S, RedisAsyncCommands<String, String>, CompletionStage<T>> question) {
		LettuceClient client;
		try {
			client = this.current.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		return servers.apply(client)
			.thenCompose((found) -> client.connectAlone(choice.apply(found), client.deadline(false))
				.thenCompose((connection) -> {
					CompletableFuture<T> answer;
					try {
						answer = question.apply(found, connection.async()).toCompletableFuture();
					}
					catch (RuntimeException ex) {
						answer = CompletableFuture.failedFuture(ex);
					}
					return client.inTime(answer, client.deadline(false)).whenComplete((reply, failure) -> {
						var unused = client.close(connection);
					});
				}));
	}

	// Behind Sentinels is one server, and one slot.
	private void check(RedisURI uri, boolean reported) {
		this.slots.forEach((slot) -> slot.check(uri, reported));
	}

	private void closed() {
		var unused = this.sentinels.close();
	}

	private void connected(SharedConnection<?> connection, boolean again) {
		LettuceClient client = this.current.get();
		this.observer.connected(client.isCluster() ? client.uri() : connection.address(), connection.server(), again);
		this.sentinels.ensure();
		if (again) {
			this.observer.reconnected();
		}
	}

}
