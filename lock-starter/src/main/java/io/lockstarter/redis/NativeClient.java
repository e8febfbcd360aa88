package io.lockstarter.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Lettuce client inside the application's connection factory. It carries the address
 * (or the sentinels), TLS, credentials, database, client name and timeouts, so that our
 * own connections get them all. Asked for anew each time: a factory that is stopped and
 * started has another. Thread-safe.
 */
final class NativeClient {

	private final LettuceConnectionFactory factory;

	NativeClient(LettuceConnectionFactory factory) {
		this.factory = factory;
	}

	/**
	 * Return the client as of now.
	 * @return the client
	 * @throws IllegalStateException if there is none, or none that locks can be kept with
	 */
	RedisClient get() {
		AbstractRedisClient client = this.factory.getNativeClient();
		if (client instanceof RedisClient redisClient) {
			return redisClient;
		}
		if (client instanceof RedisClusterClient) {
			throw new IllegalStateException("Redis Cluster is not supported: "
					+ "locks need a connection factory for a single Redis or for Sentinel");
		}
		throw new IllegalStateException("The connection factory has no Lettuce client that locks can use: " + client);
	}

	/**
	 * Run a short task later, on a thread of the client.
	 * @param task what to run
	 * @param delay when
	 * @return whether there is a client to run it
	 */
	boolean runLater(Runnable task, Duration delay) {
		try {
			var unused = get().getResources()
				.eventExecutorGroup()
				.schedule(task, delay.toMillis(), TimeUnit.MILLISECONDS);
			return true;
		}
		catch (IllegalStateException | RejectedExecutionException ex) {
			return false;
		}
	}

	/**
	 * Open a connection of our own. Blocks.
	 * @param <C> the type of connection
	 * @param client the client
	 * @param connect how to open it
	 * @return the connection
	 * @throws IllegalStateException if the client has no address of its own
	 */
	static <C> C connect(RedisClient client, Function<RedisClient, C> connect) {
		try {
			return connect.apply(client);
		}
		catch (IllegalStateException ex) {
			throw new IllegalStateException("The connection factory does not say which Redis is the primary "
					+ "(a static master/replica configuration?): locks need a single Redis or Sentinel", ex);
		}
	}

	/**
	 * Close a connection of our own, if the client did not do so already when it was shut
	 * down. Does not block.
	 * @param connection the connection
	 * @return completes when it is closed
	 */
	static CompletionStage<?> close(StatefulConnection<?, ?> connection) {
		boolean closed = connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return closed ? CompletableFuture.completedFuture(null) : connection.closeAsync();
	}

	/**
	 * Run what may block on a thread of its own.
	 * @param task what to run
	 * @param failed told what the task threw, or that there is no thread to be had
	 */
	static void runBlocking(Runnable task, Consumer<Throwable> failed) {
		Thread thread = new Thread(() -> {
			try {
				task.run();
			}
			catch (RuntimeException | Error ex) {
				failed.accept(ex);
			}
		}, "lock-starter-connect");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			failed.accept(ex);
		}
	}

}
