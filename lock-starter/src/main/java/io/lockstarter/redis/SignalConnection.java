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

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import io.lockstarter.engine.LockStore.Signals;

/**
 * One Lettuce connection that receives signals. Thread-safe; tells on Lettuce's threads.
 */
final class SignalConnection extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

	private final StoreClients.Clients clients;

	private final StatefulRedisPubSubConnection<String, String> connection;

	private final ServerInfo server;

	private final String channel;

	private final Signals signals;

	private final ListeningState state;

	private volatile boolean listening;

	private volatile boolean closed;

	private SignalConnection(StoreClients.Clients clients, StatefulRedisPubSubConnection<String, String> connection,
			ServerInfo server, String channel, Signals signals, ListeningState state) {
		this.clients = clients;
		this.connection = connection;
		this.server = server;
		this.channel = channel;
		this.signals = signals;
		this.state = state;
	}

	/**
	 * Open a connection, which is not subscribed yet.
	 * @param source makes connections
	 * @param clients what to connect with
	 * @param channel what to subscribe to
	 * @param signals whom to tell
	 * @param state told when signals are received, and when they are no longer
	 * @return completes with the connection, or fails
	 */
	static CompletableFuture<SignalConnection> open(StoreClients source, StoreClients.Clients clients, String channel,
			Signals signals, ListeningState state) {
		return source.connectPubSub(clients, clients.uri()).thenCompose((opened) -> {
			CompletableFuture<ServerInfo> asked = opened.async()
				.info()
				.exceptionally((denied) -> null)
				.thenApply(ServerInfo::of)
				.toCompletableFuture();
			return source.inTime(clients, asked, false).whenComplete((server, failure) -> {
				if (failure != null) {
					var unused = StoreClients.close(opened);
				}
			}).thenApply((server) -> {
				SignalConnection created = new SignalConnection(clients, opened, server, channel, signals, state);
				opened.addListener((RedisConnectionStateListener) created);
				opened.addListener((RedisPubSubListener<String, String>) created);
				return created;
			});
		});
	}

	/**
	 * Subscribe. Does not block.
	 * @param failed told if that is denied
	 */
	void subscribe(Consumer<Throwable> failed) {
		this.connection.async().subscribe(this.channel).exceptionally((failure) -> {
			if (!this.closed) {
				this.listening = false;
				failed.accept(failure);
			}
			return null;
		});
	}

	boolean isListening() {
		return this.listening;
	}

	/**
	 * Return whether signals that come over this connection are those that matter.
	 * @param current the clients that are in use now
	 * @param runId identifies the server that commands go to; {@code null} if unknown
	 * @return whether it leads to that server, as far as known
	 */
	boolean isUsable(StoreClients.Clients current, @Nullable String runId) {
		String here = this.server.runId();
		return this.clients == current && this.connection.isOpen()
				&& (runId == null || here == null || here.equals(runId));
	}

	CompletionStage<?> close() {
		if (this.listening) {
			tell(false);
		}
		this.closed = true;
		return StoreClients.close(this.connection);
	}

	@Override
	public void subscribed(String subscribedChannel, long count) {
		tell(true);
	}

	@Override
	public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
		tell(false);
	}

	@Override
	public void message(String sentTo, String payload) {
		if (this.closed || payload.length() < 2) {
			return;
		}
		String key = payload.substring(1);
		switch (payload.charAt(0)) {
			case 'r' -> this.signals.reserved(key);
			case 'c' -> this.signals.contended(key);
			default -> {
				// Not ours, or of a later version.
			}
		}
	}

	// The end of a connection that was given up is nobody's concern any more.
	private void tell(boolean active) {
		if (!this.closed) {
			this.listening = active;
			this.state.changed(active);
		}
	}

	/**
	 * Told whether signals are received.
	 */
	@FunctionalInterface
	interface ListeningState {

		void changed(boolean listening);

	}

}
