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

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Makes the connections of the store: a Lettuce client of its own, beside the one inside
 * the application's connection factory, from which it has the address (or the Sentinels),
 * TLS, credentials, database, client name, options and threads. It differs in what the
 * store does itself:
 * <ul>
 * <li>A connection is not reconnected, as a server may have another beneath its address
 * by then. So a connection leads to one server, and the store decides what to send again.
 * <li>Commands have no time limits. The engine has its own, and the timer of Lettuce
 * keeps a command for as long as the limit, even if it was answered.
 * <li>The operating system notices connections that are dead ({@code SO_KEEPALIVE}).
 * <li>Each attempt to connect is limited to a few seconds, the handshake included.
 * </ul>
 * The application's client is asked for anew each time: a factory that is stopped and
 * started has another. Thread-safe.
 */
final class StoreClients {

	/**
	 * How long an attempt to connect may take once the application has been up: a server
	 * that is there answers much sooner.
	 */
	private static final Duration ATTEMPT = Duration.ofSeconds(3);

	/**
	 * How long an attempt may take that also has to load the classes of the client, on a
	 * machine where many services start at once.
	 */
	private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(5);

	private final LettuceConnectionFactory factory;

	private final Duration connectTimeout;

	private volatile @Nullable Clients clients;

	/**
	 * Create the clients of a store, without connecting.
	 * @param factory the application's connection factory
	 * @param connectTimeout how long to try to make the first connection
	 */
	StoreClients(LettuceConnectionFactory factory, Duration connectTimeout) {
		this.factory = factory;
		this.connectTimeout = connectTimeout;
	}

	/**
	 * Return the client as of now.
	 * @return the client, which also stands for the life of the application's factory
	 * @throws IllegalStateException if there is none, or none that locks can be kept with
	 */
	Clients get() {
		AbstractRedisClient application;
		try {
			application = this.factory.getNativeClient();
		}
		catch (IllegalStateException ex) {
			var unused = close(CompletableFuture.completedFuture(null));
			throw ex;
		}
		Clients current = this.clients;
		return (current != null && current.application == application) ? current : replace(application);
	}

	/**
	 * Return how long to try to make the first connection.
	 */
	Duration connectTimeout() {
		return this.connectTimeout;
	}

	/**
	 * Open a connection for commands.
	 * @param clients what to connect with
	 * @param uri where to connect to
	 * @param first whether the application has had no connection yet, so that it takes
	 * longer to make one
	 * @return completes with the connection, or fails in time
	 */
	CompletableFuture<StatefulRedisConnection<String, String>> connect(Clients clients, RedisURI uri, boolean first) {
		return inTime(clients, limit(first),
				(limit) -> clients.own.connectAsync(StringCodec.UTF8, withTimeout(uri, limit)));
	}

	/**
	 * Open a connection for messages.
	 * @param clients what to connect with
	 * @param uri where to connect to
	 * @return completes with the connection, or fails in time
	 */
	CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPubSub(Clients clients, RedisURI uri) {
		return inTime(clients, limit(false),
				(limit) -> clients.own.connectPubSubAsync(StringCodec.UTF8, withTimeout(uri, limit)));
	}

	/**
	 * Limit how long getting ready takes on a connection that was just opened.
	 * @param <T> the type of result
	 * @param clients what the connection was opened with
	 * @param steps completes when ready
	 * @param first whether the application has had no connection yet
	 * @return completes likewise, or fails in time
	 */
	<T> CompletableFuture<T> inTime(Clients clients, CompletableFuture<T> steps, boolean first) {
		return limit(clients, steps, limit(first));
	}

	/**
	 * Run a short task later, on a thread of the client.
	 * @param task what to run
	 * @param delay when
	 * @return what cancels it; {@code null} if there is no client to run it
	 */
	@Nullable Runnable runLater(Runnable task, Duration delay) {
		try {
			return runLater(get(), task, delay);
		}
		catch (IllegalStateException | RejectedExecutionException ex) {
			return null;
		}
	}

	/**
	 * Give up the client; the next one that is asked for is another.
	 * @param connections completes when its connections are closed, which it would
	 * complain of otherwise
	 * @return completes when the client is gone, too
	 */
	CompletableFuture<?> close(CompletableFuture<?> connections) {
		Clients current;
		synchronized (this) {
			current = this.clients;
			this.clients = null;
		}
		if (current == null) {
			return connections;
		}
		CompletableFuture<@Nullable Object> closed = new CompletableFuture<>();
		var unused = connections.whenComplete((done, failure) -> {
			var unusedToo = current.close().whenComplete((ended, trouble) -> closed.complete(null));
		});
		return closed;
	}

	/**
	 * Close a connection, if it is not closed already.
	 * @param connection the connection
	 * @return completes when it is closed
	 */
	static CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		boolean closed = connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return closed ? CompletableFuture.completedFuture(null) : connection.closeAsync();
	}

	private synchronized Clients replace(@Nullable AbstractRedisClient application) {
		Clients current = this.clients;
		if (current != null && current.application == application) {
			return current;
		}
		Clients created = Clients.of(application);
		this.clients = created;
		if (current != null) {
			var unused = current.close();
		}
		return created;
	}

	private Duration limit(boolean first) {
		Duration limit = first ? FIRST_ATTEMPT : ATTEMPT;
		return (this.connectTimeout.compareTo(limit) < 0) ? this.connectTimeout : limit;
	}

	/**
	 * Connecting blocks at times, to load classes and to resolve names, and so has a
	 * thread of its own for as long as that takes.
	 */
	private static <C extends StatefulConnection<?, ?>> CompletableFuture<C> inTime(Clients clients, Duration limit,
			ConnectionAttempt<C> attempt) {
		CompletableFuture<C> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> start(clients, limit, attempt, result), "lock-starter-connect");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	private static <C extends StatefulConnection<?, ?>> void start(Clients clients, Duration limit,
			ConnectionAttempt<C> attempt, CompletableFuture<C> result) {
		try {
			var unusedResult = limit(clients, result, limit);
			var unusedAttempt = attempt.begin(limit).whenComplete((connection, failure) -> {
				if (failure != null) {
					result.completeExceptionally(failure);
				}
				else if (!result.complete(connection)) {
					var unused = close(connection);
				}
			});
		}
		catch (RuntimeException | Error ex) {
			result.completeExceptionally(ex);
		}
	}

	private static <T> CompletableFuture<T> limit(Clients clients, CompletableFuture<T> steps, Duration limit) {
		Runnable cancellation = runLater(clients,
				() -> steps.completeExceptionally(
						new TimeoutException("The server did not answer within %d ms".formatted(limit.toMillis()))),
				limit);
		return steps.whenComplete((result, failure) -> cancellation.run());
	}

	private static Runnable runLater(Clients clients, Runnable task, Duration delay) {
		var scheduled = clients.own.getResources()
			.eventExecutorGroup()
			.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
		return () -> scheduled.cancel(false);
	}

	/**
	 * Copy an address. The builder of Lettuce that does so forgets the Sentinels.
	 * @param source the address
	 * @return a copy, to be changed at will
	 */
	static RedisURI copy(RedisURI source) {
		RedisURI copy = new RedisURI();
		copy.setHost(source.getHost());
		copy.setPort(source.getPort());
		copy.setSocket(source.getSocket());
		copy.setSentinelMasterId(source.getSentinelMasterId());
		copy.setDatabase(source.getDatabase());
		copy.setClientName(source.getClientName());
		copy.setCredentialsProvider(source.getCredentialsProvider());
		copy.applySsl(source);
		copy.setTimeout(source.getTimeout());
		source.getSentinels().forEach((sentinel) -> copy.getSentinels().add(copy(sentinel)));
		return copy;
	}

	private static RedisURI withTimeout(RedisURI source, Duration timeout) {
		RedisURI copy = copy(source);
		copy.setTimeout(timeout);
		copy.getSentinels().forEach((sentinel) -> sentinel.setTimeout(timeout));
		return copy;
	}

	@FunctionalInterface
	private interface ConnectionAttempt<C> {

		ConnectionFuture<C> begin(Duration limit);

	}

	/**
	 * The application's client, ours, and where both connect to. Stands for the life of
	 * the application's client.
	 */
	static final class Clients {

		/**
		 * Connections for messages are quiet for hours, and nobody would notice that one
		 * is dead.
		 */
		private static final SocketOptions.KeepAliveOptions KEEP_ALIVE = SocketOptions.KeepAliveOptions.builder()
			.enable()
			.idle(Duration.ofSeconds(15))
			.interval(Duration.ofSeconds(5))
			.count(3)
			.build();

		private final RedisClient application;

		private final RedisClient own;

		private final RedisURI uri;

		private Clients(RedisClient application, RedisClient own, RedisURI uri) {
			this.application = application;
			this.own = own;
			this.uri = uri;
		}

		/**
		 * Return where Redis, or its Sentinels, are.
		 */
		RedisURI uri() {
			return this.uri;
		}

		static Clients of(@Nullable AbstractRedisClient application) {
			if (application instanceof RedisClusterClient) {
				throw new IllegalStateException("Redis Cluster is not supported: "
						+ "locks need a connection factory for a single Redis or for Sentinel");
			}
			if (!(application instanceof RedisClient redisClient)) {
				throw new IllegalStateException(
						"The connection factory has no Lettuce client that locks can use: " + application);
			}
			RedisURI uri = uriOf(redisClient);
			if (uri.getHost() == null && uri.getSocket() == null && uri.getSentinels().isEmpty()) {
				throw new IllegalStateException("The connection factory does not say which Redis is the primary "
						+ "(a static master/replica configuration?): locks need a single Redis or Sentinel");
			}
			RedisClient own = RedisClient.create(redisClient.getResources());
			own.setOptions(options(redisClient.getOptions()));
			return new Clients(redisClient, own, uri);
		}

		CompletableFuture<?> close() {
			return this.own.shutdownAsync(0, 1, TimeUnit.SECONDS);
		}

		private static ClientOptions options(ClientOptions application) {
			SocketOptions sockets = application.getSocketOptions();
			if (!sockets.isKeepAlive()) {
				sockets = sockets.mutate().keepAlive(KEEP_ALIVE).build();
			}
			return application.mutate()
				.autoReconnect(false)
				.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
				.requestQueueSize(ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE)
				.timeoutOptions(TimeoutOptions.create())
				.socketOptions(sockets)
				.build();
		}

		/**
		 * Lettuce does not tell, and Spring Data makes it out of a dozen settings, some
		 * of them about security, which had better not be interpreted a second time.
		 */
		private static RedisURI uriOf(RedisClient client) {
			Field field = ReflectionUtils.findField(RedisClient.class, "redisURI");
			if (field != null) {
				ReflectionUtils.makeAccessible(field);
				if (ReflectionUtils.getField(field, client) instanceof RedisURI uri) {
					return uri;
				}
			}
			throw new IllegalStateException("This version of Lettuce does not tell where a client connects to");
		}

	}

}
