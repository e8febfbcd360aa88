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
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.lockstarter.store.LockStore.Signals;
import io.lockstarter.store.VotingStore.ClockWatch;

import org.springframework.util.function.SingletonSupplier;

/**
 * All locks that share a hash tag, and so are on the same server: the connection for
 * their commands, perhaps another one for their renewals, and the subscriptions for their
 * signals. Thread-safe.
 */
final class Bucket implements CommandLink.Observer {

	private final RedisNames names;

	private final LettuceClients clients;

	private final CommandLink link;

	private final CommandLink renewals;

	private final Map<String, SignalSubscription> subscriptions = new ConcurrentHashMap<>();

	private final Shared shared;

	private volatile @Nullable ServerConnection<?> server;

	private volatile @Nullable ServerConnection<?> serverOfRenewals;

	/**
	 * Create a bucket, without connecting.
	 * @param apart whether renewals do not wait for other commands
	 */
	Bucket(RedisNames names, LettuceClients clients, Supplier<StoreScripts> scripts, Shared shared, boolean apart) {
		this.names = names;
		this.clients = clients;
		this.shared = shared;
		this.link = new CommandLink(clients, calls(scripts, false), this, shared.linkLogs());
		this.renewals = apart ? new CommandLink(clients, calls(scripts, true), new Renewals(), shared.linkLogs())
				: this.link;
	}

	private Supplier<Calls> calls(Supplier<StoreScripts> scripts, boolean apart) {
		return SingletonSupplier
			.of(() -> new Calls(scripts.get(), this.names, apart, this.shared.servers(), this.shared.clock()));
	}

	RedisNames names() {
		return this.names;
	}

	CommandLink link() {
		return this.link;
	}

	/**
	 * Return where renewals are sent.
	 */
	CommandLink renewals() {
		return this.renewals;
	}

	Stream<CommandLink> links() {
		return Stream.of(this.link, this.renewals).distinct();
	}

	void listen(String instance, Signals signals) {
		SignalSubscription subscription = new SignalSubscription(this.clients, () -> this.server,
				this.names.channel(instance), signals, this.shared.firstPause(), this.shared.pause(),
				this.shared.signalLogs());
		SignalSubscription previous = this.subscriptions.put(instance, subscription);
		if (previous != null) {
			previous.close();
		}
		subscription.ensure();
	}

	void ignore(String instance) {
		SignalSubscription subscription = this.subscriptions.remove(instance);
		if (subscription != null) {
			subscription.close();
		}
	}

	/**
	 * Return the connections that are open, each as often as it is used.
	 */
	Stream<ServerConnection<?>> connections() {
		Stream<ServerConnection<?>> commands = Stream.concat(connection(this.link, this.server),
				connection(this.renewals, this.serverOfRenewals));
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
	 * What made it fall silent may have silenced the signals, too.
	 */
	@Override
	public void fellSilent() {
		this.subscriptions.values().forEach(SignalSubscription::abandon);
	}

	private void tellIfReordered(boolean again) {
		if (again) {
			this.shared.reordered().accept(this.names);
		}
	}

	/**
	 * Told of the connection for renewals: what else there is follows that of the other
	 * commands.
	 */
	private final class Renewals implements CommandLink.Observer {

		@Override
		public void connected(ServerConnection<?> connection, boolean again) {
			Bucket.this.serverOfRenewals = connection;
			tellIfReordered(again);
			Bucket.this.shared.reconnected().accept(again);
		}

		@Override
		public void closed() {
		}

		@Override
		public void fellSilent() {
			Bucket.this.fellSilent();
		}

	}

	/**
	 * What the buckets of a store have in common.
	 *
	 * @param firstPause the shortest pause before a subscription is tried again
	 * @param pause the longest pause before a subscription is tried again
	 * @param connected told of connections, and whether there was one before
	 * @param reconnected told of connections for renewals, and whether there was one
	 * before
	 * @param reordered told which bucket's commands go over another connection than those
	 * before
	 * @param closed told that the bucket was closed meanwhile
	 * @param servers checks the process of each server
	 * @param clock watches the clock of a server that votes
	 */
	record Shared(CommandLink.Logs linkLogs, SignalSubscription.Logs signalLogs, Duration firstPause, Duration pause,
			BiConsumer<ServerConnection<?>, Boolean> connected, Consumer<Boolean> reconnected,
			Consumer<RedisNames> reordered, Runnable closed, Consumer<String> servers, ClockWatch clock) {
	}

}
