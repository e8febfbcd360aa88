// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;

/**
 * The way to servers that a test plays: when a connection is there, and what comes over
 * it, is up to a {@link Dialler}. The attempt to connect is limited in the time of a
 * {@link Timer}, as is all that the store does later. No thread is started.
 */
public final class SimulatedTransport implements Transport {

	private final Dialler dialler;

	private final Timer timer;

	private final int threads;

	/**
	 * Create a transport.
	 * @param timer runs what the store does later, on what would be a thread of the
	 * client
	 */
	SimulatedTransport(Dialler dialler, Timer timer) {
		this.dialler = dialler;
		this.timer = timer;
		this.threads = dialler.threads();
		dialler.begins();
	}

	/**
	 * Return a Redis that is reached so.
	 * @param timers supplies the timer, and another one after each end of a client
	 * @param addresses the server, several of which one is the primary, or nodes of the
	 * cluster
	 */
	public static ApplicationRedis application(Dialler dialler, Supplier<Timer> timers, List<RedisURI> addresses,
			boolean cluster, Platform platform) {
		return ApplicationRedis.over(() -> new SimulatedTransport(dialler, timers.get()), addresses, cluster, platform);
	}

	@Override
	public CompletableFuture<StatefulRedisPubSubConnection<String, String>> connect(RedisURI address) {
		CompletableFuture<SimulatedConnection> dialled = this.dialler.dial(address);
		try {
			return inTime(dialled, address.getTimeout()).thenApply(SimulatedConnection::connection);
		}
		catch (Error ex) {
			var unused = dialled.thenAccept(SimulatedConnection::cut);
			throw ex;
		}
	}

	@Override
	public Runnable runLater(Runnable task, Duration delay) {
		return this.timer.schedule(task, delay.toNanos());
	}

	@Override
	public boolean isUsable() {
		return this.threads == this.dialler.threads();
	}

	@Override
	public CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		return connection.closeAsync();
	}

	@Override
	public CompletableFuture<?> close() {
		this.dialler.ends();
		return CompletableFuture.completedFuture(null);
	}

	/**
	 * What is between the store and its servers, and these.
	 */
	public interface Dialler {

		/**
		 * Connect.
		 * @param address where to
		 * @return the connection, now or later; or never
		 */
		CompletableFuture<SimulatedConnection> dial(RedisURI address);

		/**
		 * Return which threads connections would have: others once these have died.
		 */
		default int threads() {
			return 0;
		}

		/**
		 * A client begins to use it.
		 */
		default void begins() {
		}

		/**
		 * A client is shut down.
		 */
		default void ends() {
		}

	}

}
