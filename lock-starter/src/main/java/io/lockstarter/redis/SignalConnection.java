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
 * Lettuce connection that receives the signals of one instance. It calls its listeners on
 * Lettuce's threads. Thread-safe.
 */
final class SignalConnection extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

	private final LettuceClient client;

	private final StatefulRedisPubSubConnection<String, String> connection;

	private final ServerInfo server;

	private final String channel;

	private final Signals signals;

	private final Consumer<Boolean> state;

	private volatile boolean listening;

	private volatile boolean closed;

	private SignalConnection(LettuceClient client, StatefulRedisPubSubConnection<String, String> connection,
			ServerInfo server, String channel, Signals signals, Consumer<Boolean> state) {
		this.client = client;
		this.connection = connection;
		this.server = server;
		this.channel = channel;
		this.signals = signals;
		this.state = state;
	}

	/**
	 * Open a connection, without subscribing.
	 * @param state told when signals begin to arrive, and when they no longer do
	 */
	static CompletableFuture<SignalConnection> open(LettuceClient client, String channel, Signals signals,
			Consumer<Boolean> state) {
		return client.connectPubSub(client.uri()).thenCompose((opened) -> {
			CompletableFuture<ServerInfo> asked = opened.async()
				.info()
				.exceptionally((denied) -> null)
				.thenApply(ServerInfo::of)
				.toCompletableFuture();
			return client.inTime(asked, false).whenComplete((server, failure) -> {
				if (failure != null) {
					var unused = LettuceClient.close(opened);
				}
			}).thenApply((server) -> {
				SignalConnection created = new SignalConnection(client, opened, server, channel, signals, state);
				opened.addListener((RedisConnectionStateListener) created);
				opened.addListener((RedisPubSubListener<String, String>) created);
				return created;
			});
		});
	}

	/**
	 * Subscribe to the channel. Does not block.
	 * @param failed told if Redis refuses
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
	 * Return whether this connection leads to the server that commands go to, as far as
	 * known.
	 * @param runId the run id of that server, if known
	 */
	boolean isUsable(LettuceClient current, @Nullable String runId) {
		String here = this.server.runId();
		return this.client == current && this.connection.isOpen()
				&& (runId == null || here == null || here.equals(runId));
	}

	CompletionStage<?> close() {
		if (this.listening) {
			tell(false);
		}
		this.closed = true;
		return LettuceClient.close(this.connection);
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
			case 'f' -> {
				// An owner id has no spaces.
				int end = key.indexOf(' ');
				if (end > 0) {
					this.signals.forced(key.substring(end + 1), key.substring(0, end));
				}
			}
			default -> {
				// Not ours, or of a later version.
			}
		}
	}

	// Nobody needs to know of the end of a connection that was given up.
	private void tell(boolean active) {
		if (!this.closed) {
			this.listening = active;
			this.state.accept(active);
		}
	}

}
