/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * All that goes to the server that has the keys of one slot: the connection for commands,
 * perhaps another one for those that must not wait behind them, and the subscriptions of
 * its channels. Outside of a cluster one slot has all keys. Thread-safe.
 */
final class SlotConnections implements CommandLink.Observer {

	private final int index;

	private final LettuceClients clients;

	private final CommandLink link;

	private final CommandLink apart;

	private final Map<String, SignalSubscription> subscriptions = new ConcurrentHashMap<>();

	private final Shared shared;

	private volatile @Nullable ServerConnection<?> server;

	private volatile @Nullable ServerConnection<?> serverApart;

	/**
	 * Create them, without connecting.
	 * @param apart whether there is another connection for commands that must not wait
	 */
	SlotConnections(int index, LettuceClients clients, BatchScript script, Shared shared, boolean apart) {
		this.index = index;
		this.clients = clients;
		this.shared = shared;
		this.link = new CommandLink(clients, calls(script, false), this, shared.observer());
		this.apart = apart ? new CommandLink(clients, calls(script, true), new Apart(), shared.observer()) : this.link;
	}

	// Not while an application starts, but when somebody connects.
	private static Supplier<Calls> calls(BatchScript script, boolean apart) {
		return SingletonSupplier.of(() -> new Calls(script, apart));
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 */
	void send(ScriptCommand<?> command) {
		this.link.send(command);
	}

	/**
	 * Send a command that must not wait behind others, and may overtake them.
	 */
	void sendApart(ScriptCommand<?> command) {
		this.apart.send(command);
	}

	/**
	 * Ask the server that commands go to; fails if there is no connection.
	 */
	<T> CompletableFuture<T> ask(Function<RedisAsyncCommands<String, String>, CompletionStage<T>> question) {
		return this.link.ask(question);
	}

	/**
	 * Subscribe to a channel, in place of who is subscribed to it. Does not block.
	 */
	void subscribe(String channel, Subscriber subscriber) {
		SignalSubscription subscription = new SignalSubscription(this.clients, () -> this.server, channel, subscriber,
				this.shared.firstPause(), this.shared.pause(), this.shared.observer());
		SignalSubscription previous = this.subscriptions.put(channel, subscription);
		if (previous != null) {
			previous.close();
		}
		subscription.ensure();
	}

	void unsubscribe(String channel) {
		SignalSubscription subscription = this.subscriptions.remove(channel);
		if (subscription != null) {
			subscription.close();
		}
	}

	/**
	 * Connect, unless there are connections. Completes, always normally, when there are
	 * or the attempts have failed.
	 */
	CompletableFuture<?> open() {
		return CompletableFuture.allOf(links().map(CommandLink::open).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Find out whether another server is the primary now, and go there if so.
	 * @param uri whom to ask, or where it is
	 * @param reported whether there is news of another primary
	 */
	void check(RedisURI uri, boolean reported) {
		links().forEach((each) -> each.check(uri, reported));
	}

	private Stream<CommandLink> links() {
		return Stream.of(this.link, this.apart).distinct();
	}

	/**
	 * Return the connections that are open, each as often as it is used.
	 */
	Stream<ServerConnection<?>> connections() {
		Stream<ServerConnection<?>> commands = Stream.concat(connection(this.link, this.server),
				connection(this.apart, this.serverApart));
		return Stream.concat(commands, this.subscriptions.values().stream().flatMap(SignalSubscription::connection));
	}

	private static Stream<ServerConnection<?>> connection(CommandLink link, @Nullable ServerConnection<?> server) {
		return (server != null && link.isConnected()) ? Stream.of(server) : Stream.empty();
	}

	/**
	 * Give up all connections.
	 */
	CompletableFuture<?> close() {
		return CompletableFuture.allOf(Stream
			.concat(links().map(CommandLink::close),
					this.subscriptions.values().stream().map(SignalSubscription::close))
			.map(CompletionStage::toCompletableFuture)
			.toArray(CompletableFuture<?>[]::new));
	}

	@Override
	public void connected(ServerConnection<?> connection, boolean again) {
		this.server = connection;
		tellIfReordered(again);
		this.shared.connected().accept(connection, again);
		this.subscriptions.values().forEach(SignalSubscription::ensure);
	}

	@Override
	public void closed() {
		this.subscriptions.values().forEach(SignalSubscription::close);
		this.shared.closed().run();
	}

	/**
	 * What made it fall silent may have silenced the messages, too.
	 */
	@Override
	public void fellSilent() {
		this.subscriptions.values().forEach(SignalSubscription::abandon);
	}

	private void tellIfReordered(boolean again) {
		if (again) {
			this.shared.observer().reordered(this.index);
		}
	}

	/**
	 * Told of the connection apart: what else there is follows that of the other
	 * commands.
	 */
	private final class Apart implements CommandLink.Observer {

		@Override
		public void connected(ServerConnection<?> connection, boolean again) {
			SlotConnections.this.serverApart = connection;
			tellIfReordered(again);
			if (again) {
				SlotConnections.this.shared.observer().reconnected();
			}
		}

		@Override
		public void closed() {
		}

		@Override
		public void fellSilent() {
			SlotConnections.this.fellSilent();
		}

	}

	/**
	 * What all slots have in common.
	 *
	 * @param firstPause the shortest pause before a subscription is tried again
	 * @param pause the longest pause before a subscription is tried again
	 * @param connected told of connections, and whether there was one before
	 * @param closed told that a slot was closed meanwhile
	 */
	record Shared(ConnectionObserver observer, Duration firstPause, Duration pause,
			BiConsumer<ServerConnection<?>, Boolean> connected, Runnable closed) {
	}

}
