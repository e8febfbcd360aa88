// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lettuce.core.RedisURI;

import org.springframework.util.function.SingletonSupplier;

/**
 * All that goes to the server that has the keys of one slot: the connection for commands,
 * perhaps another one for those that must not wait behind them, and the subscriptions of
 * its channels. Outside of a cluster one slot has all keys. Thread-safe.
 */
public final class SlotConnections {

	private final int index;

	private final CurrentClient client;

	private final CommandSender sender;

	private final CommandSender apart;

	private final Map<String, ChannelSubscription> subscriptions = new ConcurrentHashMap<>();

	private final Shared shared;

	/**
	 * Create them, without connecting.
	 * @param apart whether there is another connection for commands that must not wait
	 */
	SlotConnections(int index, CurrentClient client, BatchScript script, Shared shared, boolean apart) {
		this.index = index;
		this.client = client;
		this.shared = shared;
		this.sender = new CommandSender(client, calls(script, false), new Main(), shared.observer());
		this.apart = apart ? new CommandSender(client, calls(script, true), new Apart(), shared.observer())
				: this.sender;
	}

	// Not while an application starts, but when somebody connects.
	private static Supplier<Calls> calls(BatchScript script, boolean apart) {
		return SingletonSupplier.of(() -> new Calls(script, apart));
	}

	/**
	 * Send a command, now or as soon as there is a connection. Never blocks or throws.
	 * @param command the command
	 */
	public void send(ScriptCommand<?> command) {
		this.sender.send(command);
	}

	/**
	 * Send a command that must not wait behind others, and may overtake them.
	 * @param command the command
	 */
	public void sendApart(ScriptCommand<?> command) {
		this.apart.send(command);
	}

	/**
	 * Subscribe to a channel, in place of who is subscribed to it, until
	 * {@link #unsubscribe}. Does not block.
	 * @param channel the channel, which has the slot
	 * @param subscriber told of messages, on threads of the connection
	 */
	public void subscribe(String channel, Subscriber subscriber) {
		ChannelSubscription subscription = new ChannelSubscription(this.client, this.sender::server, channel,
				subscriber, this.shared.firstPause(), this.shared.pause(), this.shared.observer());
		ChannelSubscription previous = this.subscriptions.put(channel, subscription);
		if (previous != null) {
			previous.end();
		}
		subscription.ensure();
	}

	/**
	 * Subscribe to a channel no more.
	 * @param channel the channel
	 */
	public void unsubscribe(String channel) {
		ChannelSubscription subscription = this.subscriptions.remove(channel);
		if (subscription != null) {
			subscription.end();
		}
	}

	/**
	 * Connect, unless there are connections. Completes, always normally, when there are
	 * or the attempts have failed.
	 */
	CompletableFuture<?> open() {
		return CompletableFuture.allOf(senders().map(CommandSender::open).toArray(CompletableFuture<?>[]::new));
	}

	/**
	 * Find out whether another server is the primary now, and go there if so.
	 * @param uri whom to ask, or where it is
	 * @param reported whether there is news of another primary
	 */
	void check(RedisURI uri, boolean reported) {
		senders().forEach((each) -> each.check(uri, reported));
	}

	private Stream<CommandSender> senders() {
		return Stream.of(this.sender, this.apart).distinct();
	}

	/**
	 * Return the connections that are open, each as often as it is used.
	 */
	Stream<SharedConnection<?>> connections() {
		Stream<SharedConnection<?>> commands = senders().flatMap(SlotConnections::connection);
		return Stream.concat(commands, this.subscriptions.values().stream().flatMap(ChannelSubscription::connection));
	}

	private static Stream<SharedConnection<?>> connection(CommandSender sender) {
		SharedConnection<?> server = sender.server();
		return (server != null && sender.isConnected()) ? Stream.of(server) : Stream.empty();
	}

	/**
	 * Give up all connections.
	 */
	CompletableFuture<?> close() {
		return CompletableFuture.allOf(Stream
			.concat(senders().map(CommandSender::close),
					this.subscriptions.values().stream().map(ChannelSubscription::close))
			.map(CompletionStage::toCompletableFuture)
			.toArray(CompletableFuture<?>[]::new));
	}

	// What made it fall silent may have silenced the messages, too.
	private void fellSilent() {
		this.subscriptions.values().forEach(ChannelSubscription::abandon);
	}

	/**
	 * Told of the connection for commands, which the messages follow.
	 */
	private final class Main implements CommandSender.Observer {

		@Override
		public void reordered() {
			SlotConnections.this.shared.observer().reordered(SlotConnections.this.index);
		}

		@Override
		public void connected(SharedConnection<?> connection, boolean again) {
			SlotConnections.this.shared.connected().accept(connection, again);
			SlotConnections.this.subscriptions.values().forEach(ChannelSubscription::ensure);
		}

		@Override
		public void closed() {
			SlotConnections.this.subscriptions.values().forEach(ChannelSubscription::close);
			SlotConnections.this.shared.closed().run();
		}

		@Override
		public void fellSilent() {
			SlotConnections.this.fellSilent();
		}

	}

	/**
	 * Told of the connection apart: what else there is follows that of the other
	 * commands.
	 */
	private final class Apart implements CommandSender.Observer {

		@Override
		public void reordered() {
			SlotConnections.this.shared.observer().reordered(SlotConnections.this.index);
		}

		@Override
		public void connected(SharedConnection<?> connection, boolean again) {
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
			BiConsumer<SharedConnection<?>, Boolean> connected, Runnable closed) {
	}

}
