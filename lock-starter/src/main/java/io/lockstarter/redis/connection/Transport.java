// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The way to Redis: all that has to do with sockets, with their threads, and with waiting
 * for them. What is built on it waits for nothing else.
 */
interface Transport {

	/**
	 * Open a connection for commands and messages, whose handshake is over. Does not
	 * block.
	 * @param address whose timeout limits the attempt. Its credentials may be replaced
	 * @return the connection; fails, at the latest when the time is over
	 */
	CompletableFuture<StatefulRedisPubSubConnection<String, String>> connect(RedisURI address);

	/**
	 * Run a short task later, on a thread where it must not block.
	 * @return takes the task back, if it did not run yet
	 * @throws RejectedExecutionException if there are no threads any more
	 */
	Runnable runLater(Runnable task, Duration delay);

	/**
	 * Let a future fail that takes too long.
	 * @return the future, or one that follows it
	 */
	default <T> CompletableFuture<T> inTime(CompletableFuture<T> steps, Duration limit) {
		Runnable cancellation;
		try {
			cancellation = runLater(
					() -> steps.completeExceptionally(
							new TimeoutException("The server did not answer within %d ms".formatted(limit.toMillis()))),
					limit);
		}
		catch (RejectedExecutionException ex) {
			steps.completeExceptionally(ex);
			return steps;
		}
		return steps.whenComplete((result, failure) -> cancellation.run());
	}

	/**
	 * Return whether all threads are there that it has used. One that died leaves
	 * connections behind that look open and never answer.
	 */
	default boolean isUsable() {
		return true;
	}

	/**
	 * Close a connection, if it is not closed already.
	 * @return completes when it is closed
	 */
	CompletableFuture<?> close(StatefulConnection<?, ?> connection);

	/**
	 * Close all that is open. Nothing is opened any more.
	 * @return completes when all is closed
	 */
	CompletableFuture<?> close();

}
