// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * All connections to a Redis, or to a Redis Cluster, beside those of the application: for
 * commands and messages, to its Sentinels, and for questions. They are made when somebody
 * needs them, and replaced when they are lost. Thread-safe.
 */
public final class RedisConnections {

	private final CurrentClient current;

	private final ConnectionObserver observer;

	private final SentinelWatch sentinels;

	private final List<Slot> slots = new ArrayList<>();

	private final Duration retry;

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
		this.current = new CurrentClient(application, connectTimeout);
		this.observer = observer;
		this.sentinels = new SentinelWatch(this.current, this);
		this.retry = retrySubscription;
		for (BatchScript script : scripts) {
			this.slots.add(new Slot(this.slots.size(), script, apart));
		}
	}

	/**
	 * Return the line of a slot.
	 * @param index that of its script
	 * @return its line
	 */
	public Line line(int index) {
		return this.slots.get(index).line;
	}

	/**
	 * Return the line of a slot for commands that must not wait behind others, and may
	 * overtake them.
	 * @param index that of its script
	 * @return its other line, if there is one
	 */
	public Line lineApart(int index) {
		return this.slots.get(index).apart;
	}

	/**
	 * Subscribe to a channel, in place of who is subscribed to it, until
	 * {@link #unsubscribe}. Does not block.
	 * @param index that of the script of its slot
	 * @param channel the channel
	 * @param subscriber told of messages, on threads of the connection
	 */
	public void subscribe(int index, String channel, Subscriber subscriber) {
		Slot slot = this.slots.get(index);
		ChannelSubscription subscription = new ChannelSubscription(slot.line, this.current, channel, subscriber,
				this.retry, this.observer);
		ChannelSubscription previous = slot.subscriptions.put(channel, subscription);
		if (previous != null) {
			previous.end();
		}
		var unused = slot.line.open().whenComplete((done, failure) -> subscription.follow());
	}

	/**
	 * Subscribe to a channel no more.
	 * @param index that of the script of its slot
	 * @param channel the channel
	 */
	public void unsubscribe(int index, String channel) {
		ChannelSubscription subscription = this.slots.get(index).subscriptions.remove(channel);
		if (subscription != null) {
			subscription.end();
		}
	}

	/**
	 * Connect for commands, unless there are connections. Does not block.
	 * @return completes, always normally, when there are or the attempts have failed
	 */
	public CompletableFuture<?> open() {
		return all(lines().map(Line::open));
	}

	/**
	 * Return how many connections for commands are open.
	 * @return how many
	 */
	public int count() {
		Stream<Link> open = lines().map(Line::link).filter(Objects::nonNull).filter(Link::isOpen);
		return (int) open.map(Link::shared).distinct().count();
	}

	/**
	 * Give up all connections, and shut the client down. The next command opens others.
	 * @return completes when they are closed
	 */
	public CompletableFuture<?> close() {
		CompletableFuture<?> sentinelsClosed = this.sentinels.close();
		Stream<CompletionStage<?>> lines = lines().map(Line::close);
		return this.current.close(CompletableFuture.allOf(sentinelsClosed, all(lines)));
	}

	private static CompletableFuture<?> all(Stream<? extends CompletionStage<?>> steps) {
		return CompletableFuture
			.allOf(steps.map(CompletionStage::toCompletableFuture).toArray(CompletableFuture<?>[]::new));
	}

	private Stream<Line> lines() {
		return this.slots.stream().flatMap((slot) -> Stream.of(slot.line, slot.apart).distinct());
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

	/**
	 * Find out whether another server is the primary now. Behind Sentinels is one server,
	 * and one slot.
	 * @param uri whom to ask for it
	 * @param reported whether a Sentinel has said so
	 */
	CompletableFuture<?> check(RedisURI uri, boolean reported) {
		return all(this.slots.stream().map((slot) -> slot.check(uri, reported)));
	}

	/**
	 * All that goes to the server that has the keys of one slot: its line, perhaps
	 * another one, and subscriptions, which follow the first.
	 */
	private final class Slot {

		private final int index;

		private final Line line;

		private final Line apart;

		private final Map<String, ChannelSubscription> subscriptions = new ConcurrentHashMap<>();

		Slot(int index, BatchScript script, boolean apart) {
			RedisConnections all = RedisConnections.this;
			this.index = index;
			this.line = new Line(all.current, script, false, new Watch(this, true), all.observer);
			this.apart = apart ? new Line(all.current, script, true, new Watch(this, false), all.observer) : this.line;
		}

		/**
		 * Find out whether another server is the primary now. Of lines that lead to the
		 * same one, one looks for both, unless there is news.
		 */
		CompletableFuture<?> check(RedisURI uri, boolean reported) {
			if (reported) {
				return all(Stream.of(this.line, this.apart).distinct().map((each) -> each.check(uri, true)));
			}
			return this.line.check(uri, false)
				.thenCompose((done) -> isTogether() ? CompletableFuture.completedFuture(null)
						: this.apart.check(uri, false));
		}

		private boolean isTogether() {
			String runId = this.line.runId();
			return this.line == this.apart || (runId != null && runId.equals(this.apart.runId()));
		}

	}

	/**
	 * Told of the connections of a line. What else there is follows the main one.
	 */
	private final class Watch implements LineObserver {

		private final Slot slot;

		private final boolean main;

		Watch(Slot slot, boolean main) {
			this.slot = slot;
			this.main = main;
		}

		@Override
		public void reordered() {
			RedisConnections.this.observer.reordered(this.slot.index);
		}

		@Override
		public void connected(SharedConnection connection, boolean again) {
			RedisConnections all = RedisConnections.this;
			if (this.main) {
				LettuceClient client = all.current.get();
				all.observer.connected(client.isCluster() ? client.uri() : connection.address(), connection.server(),
						again);
				all.sentinels.ensure();
			}
			if (again) {
				all.observer.reconnected();
			}
		}

		@Override
		public void closed() {
			if (this.main) {
				var unused = RedisConnections.this.sentinels.close();
			}
		}

		@Override
		public void linkChanged() {
			if (this.main) {
				this.slot.subscriptions.values().forEach(ChannelSubscription::follow);
			}
		}

	}

}
