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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;

/**
 * The way to a Redis that a test plays: who connects, when a connection is there, and
 * what comes over it is up to its {@link Network}. The attempt to connect is limited in
 * the time of a {@link Timer}, as is all that the store does later. No thread is started.
 */
public final class SimulatedTransport implements Transport {

	private final Network network;

	private final Timer timer;

	private final Set<SimulatedConnection<?>> open = new LinkedHashSet<>();

	private boolean closed;

	private SimulatedTransport(Network network, Timer timer) {
		this.network = network;
		this.timer = timer;
	}

	/**
	 * Create a store that connects over a network.
	 * @param network the network
	 * @param timer runs what the store does later, on what would be a thread of the
	 * client
	 * @param addresses the server; several of which one is the primary; Sentinels, inside
	 * of one address; or nodes of the cluster
	 * @param cluster whether it is a cluster
	 * @param abstention for how long a server of a quorum grants nothing after it was
	 * started; {@code null} for one that decides alone
	 * @param platform the time, and all else that is not determined
	 */
	public static RedisLockStore store(Network network, Timer timer, List<RedisURI> addresses, boolean cluster,
			RedisStoreSettings settings, @Nullable Duration abstention, Platform platform) {
		return new RedisLockStore(() -> new SimulatedTransport(network, timer), addresses, cluster, settings,
				abstention, platform);
	}

	@Override
	public CompletableFuture<StatefulRedisConnection<String, String>> connect(RedisURI address) {
		return begin(new Attempt<>(this, address, false, SimulatedConnection::open));
	}

	@Override
	public CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPubSub(RedisURI address) {
		return begin(new Attempt<>(this, address, true, SimulatedConnection::openPubSub));
	}

	private <C extends StatefulRedisConnection<String, String>> CompletableFuture<C> begin(Attempt<C> attempt) {
		if (this.closed) {
			attempt.refuse(new IllegalStateException("The transport is closed"));
			return attempt.result;
		}
		var unused = inTime(attempt.result, attempt.address.getTimeout());
		this.network.connecting(attempt);
		return attempt.result;
	}

	@Override
	public Runnable runLater(Runnable task, Duration delay) {
		if (this.closed) {
			throw new RejectedExecutionException("The transport is closed");
		}
		return this.timer.schedule(task, delay.toNanos());
	}

	@Override
	public CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		for (SimulatedConnection<?> each : List.copyOf(this.open)) {
			if (each.connection() == connection) {
				end(each);
			}
		}
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<?> close() {
		this.closed = true;
		List.copyOf(this.open).forEach(this::end);
		return CompletableFuture.completedFuture(null);
	}

	private void end(SimulatedConnection<?> connection) {
		if (this.open.remove(connection)) {
			var unused = connection.connection().closeAsync();
			connection.write();
		}
	}

	/**
	 * What is between the store and its servers, and these.
	 */
	public interface Network {

		/**
		 * The store wants to connect. The network accepts or refuses that, now or later,
		 * or never.
		 */
		void connecting(Attempt<?> attempt);

	}

	/**
	 * An attempt to connect.
	 *
	 * @param <C> the type of connection
	 */
	public static final class Attempt<C extends StatefulRedisConnection<String, String>> {

		private final SimulatedTransport transport;

		private final RedisURI address;

		private final boolean forMessages;

		private final Function<SimulatedConnection.Peer, SimulatedConnection<C>> opener;

		private final CompletableFuture<C> result = new CompletableFuture<>();

		private Attempt(SimulatedTransport transport, RedisURI address, boolean forMessages,
				Function<SimulatedConnection.Peer, SimulatedConnection<C>> opener) {
			this.transport = transport;
			this.address = address;
			this.forMessages = forMessages;
			this.opener = opener;
		}

		/**
		 * Return where to. If it names Sentinels, it is theirs to say where the primary
		 * is; the network knows.
		 */
		public RedisURI address() {
			return this.address;
		}

		/**
		 * Return whether the connection is for messages.
		 */
		public boolean isForMessages() {
			return this.forMessages;
		}

		/**
		 * Return whether it is over: accepted, refused, or too late.
		 */
		public boolean isOver() {
			return this.result.isDone();
		}

		/**
		 * Let the store be connected.
		 * @param peer the server's end
		 * @return the connection; {@code null} if the store gave the attempt up before
		 */
		public @Nullable SimulatedConnection<C> accept(SimulatedConnection.Peer peer) {
			if (isOver() || this.transport.closed) {
				return null;
			}
			SimulatedConnection<C> opened = this.opener.apply(peer);
			this.transport.open.add(opened);
			this.result.complete(opened.connection());
			return opened;
		}

		/**
		 * Let the attempt fail.
		 */
		public void refuse(Throwable failure) {
			this.result.completeExceptionally(failure);
		}

	}

}
