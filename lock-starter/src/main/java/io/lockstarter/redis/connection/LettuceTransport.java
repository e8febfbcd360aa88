// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Opens connections by a Lettuce client of our own, with the options and the threads of
 * the application's. It differs in this:
 * <ul>
 * <li>It does not reconnect, because another server may have the address by then. A
 * connection leads to one server, and {@link Line} decides what to send again.
 * <li>Commands have no time limit. Who sends them has one, and Lettuce's timer would keep
 * each command until the limit, even after its reply.
 * <li>The operating system detects dead connections ({@code SO_KEEPALIVE}).
 * <li>Connections to the same address share a thread.
 * <li>Commands are not traced.
 * </ul>
 * Thread-safe.
 */
final class LettuceTransport implements Transport {

	/**
	 * A connection may be quiet for hours, and nobody would notice that it is dead.
	 */
	private static final SocketOptions.KeepAliveOptions KEEP_ALIVE = SocketOptions.KeepAliveOptions.builder()
		.enable()
		.idle(Duration.ofSeconds(15))
		.interval(Duration.ofSeconds(5))
		.count(3)
		.build();

	private final SharedLoopClient own;

	/**
	 * Create a transport, without connecting.
	 * @param application the application's client
	 */
	LettuceTransport(AbstractRedisClient application) {
		SharedLoopClient own = new SharedLoopClient(UntracedResources.of(application.getResources()));
		own.setOptions(options(application.getOptions()));
		this.own = own;
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
	 * Connecting blocks at times, to load classes, to resolve names and to get
	 * credentials, and so has a thread of its own for as long as that takes.
	 */
	@Override
	public CompletableFuture<StatefulRedisPubSubConnection<String, String>> connect(RedisURI address) {
		CompletableFuture<StatefulRedisPubSubConnection<String, String>> result = new CompletableFuture<>();
		Runnable task = () -> {
			try {
				var unusedResult = inTime(result, address.getTimeout());
				ResolvedCredentials.resolve(address);
				var unusedAttempt = this.own.connectPubSubAsync(StringCodec.UTF8, address)
					.whenComplete((connection, failure) -> {
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
		};
		try {
			Thread thread = new Thread(task, "lock-starter-connect");
			thread.setDaemon(true);
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			result.completeExceptionally(ex);
		}
		return result;
	}

	@Override
	public Runnable runLater(Runnable task, Duration delay) {
		var scheduled = SharedLoopClient.alive(this.own.getResources().eventExecutorGroup())
			.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
		return () -> scheduled.cancel(false);
	}

	@Override
	public boolean isUsable() {
		return this.own.isUsable();
	}

	@Override
	public CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		return this.own.close(connection);
	}

	@Override
	public CompletableFuture<?> close() {
		return this.own.shutdownAsync(0, 1, TimeUnit.SECONDS).handle((done, failure) -> true);
	}

}
