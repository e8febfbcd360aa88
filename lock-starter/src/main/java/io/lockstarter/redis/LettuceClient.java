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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

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

import org.springframework.util.ReflectionUtils;

/**
 * Lettuce client of the store, beside the one inside the application's connection
 * factory. It has the same address (or Sentinels), TLS, credentials, database, client
 * name, options and threads. It differs in this:
 * <ul>
 * <li>It does not reconnect, because another server may have the address by then. A
 * connection leads to one server, and the store decides which commands to send again.
 * <li>Commands have no time limit. The engine limits them, and Lettuce's timer would keep
 * each command until the limit, even after its reply.
 * <li>The operating system detects dead connections ({@code SO_KEEPALIVE}).
 * <li>Each attempt to connect, with its handshake, takes a few seconds at most.
 * </ul>
 * Thread-safe.
 */
final class LettuceClient {

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

	/**
	 * Connections for messages are quiet for hours, and nobody would notice that one is
	 * dead.
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

	private final Duration connectTimeout;

	private LettuceClient(RedisClient application, RedisClient own, RedisURI uri, Duration connectTimeout) {
		this.application = application;
		this.own = own;
		this.uri = uri;
		this.connectTimeout = connectTimeout;
	}

	/**
	 * Create the client, without connecting.
	 * @throws IllegalStateException if locks cannot be kept with the application's client
	 */
	static LettuceClient of(@Nullable AbstractRedisClient application, Duration connectTimeout) {
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
		return new LettuceClient(redisClient, own, uri, connectTimeout);
	}

	/**
	 * Lettuce does not tell, and Spring Data makes it out of a dozen settings, some of
	 * them about security, which had better not be interpreted a second time.
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

	boolean isOf(@Nullable AbstractRedisClient client) {
		return this.application == client;
	}

	/**
	 * Return the address of Redis, or of its Sentinels.
	 */
	RedisURI uri() {
		return this.uri;
	}

	Duration connectTimeout() {
		return this.connectTimeout;
	}

	/**
	 * Open a connection for commands, or fail in time.
	 * @param first whether the application has had no connection yet, so that it takes
	 * longer to make one
	 */
	CompletableFuture<StatefulRedisConnection<String, String>> connect(RedisURI address, boolean first) {
		RedisURI limited = withTimeout(address, limit(first));
		return connect(limited.getTimeout(), () -> this.own.connectAsync(StringCodec.UTF8, limited));
	}

	/**
	 * Open a connection for messages, or fail in time.
	 */
	CompletableFuture<StatefulRedisPubSubConnection<String, String>> connectPubSub(RedisURI address) {
		RedisURI limited = withTimeout(address, limit(false));
		return connect(limited.getTimeout(), () -> this.own.connectPubSubAsync(StringCodec.UTF8, limited));
	}

	/**
	 * Connecting blocks at times, to load classes and to resolve names, and so has a
	 * thread of its own for as long as that takes.
	 */
	private <C extends StatefulConnection<?, ?>> CompletableFuture<C> connect(Duration limit,
			Supplier<ConnectionFuture<C>> attempt) {
		CompletableFuture<C> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				var unusedResult = limit(result, limit);
				var unusedAttempt = attempt.get().whenComplete((connection, failure) -> {
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
		}, "lock-starter-connect");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	/**
	 * Limit the time in which a new connection gets ready.
	 * @param first whether the application has had no connection yet
	 */
	<T> CompletableFuture<T> inTime(CompletableFuture<T> steps, boolean first) {
		return limit(steps, limit(first));
	}

	Runnable runLater(Runnable task, Duration delay) {
		var scheduled = this.own.getResources()
			.eventExecutorGroup()
			.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
		return () -> scheduled.cancel(false);
	}

	CompletableFuture<Void> close() {
		return this.own.shutdownAsync(0, 1, TimeUnit.SECONDS);
	}

	/**
	 * Close a connection, if it is not closed already.
	 */
	static CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		boolean closed = connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return closed ? CompletableFuture.completedFuture(null) : connection.closeAsync();
	}

	/**
	 * Copy an address. The builder of Lettuce that does so forgets the Sentinels.
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

	private Duration limit(boolean first) {
		Duration limit = first ? FIRST_ATTEMPT : ATTEMPT;
		return (this.connectTimeout.compareTo(limit) < 0) ? this.connectTimeout : limit;
	}

	private <T> CompletableFuture<T> limit(CompletableFuture<T> steps, Duration limit) {
		Runnable cancellation = runLater(
				() -> steps.completeExceptionally(
						new TimeoutException("The server did not answer within %d ms".formatted(limit.toMillis()))),
				limit);
		return steps.whenComplete((result, failure) -> cancellation.run());
	}

}
