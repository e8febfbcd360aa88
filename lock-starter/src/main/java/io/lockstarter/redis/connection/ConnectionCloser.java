// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import org.jspecify.annotations.Nullable;

/**
 * Closes each connection of a client once, and the client when none is being closed.
 * Lettuce warns of a connection that is closed twice, and closes all that there are when
 * its client is shut down, also those that are being closed by somebody else.
 * Thread-safe.
 */
final class ConnectionCloser {

	private final RedisClient client;

	private final Object monitor = new Object();

	private final Map<StatefulConnection<?, ?>, CompletableFuture<?>> closing = new LinkedHashMap<>();

	private @Nullable CompletableFuture<@Nullable Object> shutdown;

	ConnectionCloser(RedisClient client) {
		this.client = client;
	}

	/**
	 * Close a connection, if it is not closed already.
	 * @return completes when it is closed
	 */
	CompletableFuture<?> close(StatefulConnection<?, ?> connection) {
		CompletableFuture<@Nullable Object> closed = new CompletableFuture<>();
		CompletableFuture<?> before;
		synchronized (this.monitor) {
			CompletableFuture<?> other = this.closing.putIfAbsent(connection, closed);
			if (other != null) {
				return other;
			}
			before = (this.shutdown != null) ? this.shutdown : CompletableFuture.completedFuture(null);
		}
		var unused = before.thenCompose((done) -> closeIfOpen(connection)).whenComplete((done, failure) -> {
			synchronized (this.monitor) {
				this.closing.remove(connection);
			}
			closed.complete(null);
		});
		return closed;
	}

	private static CompletableFuture<?> closeIfOpen(StatefulConnection<?, ?> connection) {
		boolean closed = connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed();
		return closed ? CompletableFuture.completedFuture(null) : connection.closeAsync();
	}

	/**
	 * Shut the client down, and with it what is open.
	 */
	CompletableFuture<?> shutDown() {
		CompletableFuture<@Nullable Object> over = new CompletableFuture<>();
		CompletableFuture<?>[] underWay;
		synchronized (this.monitor) {
			if (this.shutdown != null) {
				return this.shutdown;
			}
			this.shutdown = over;
			underWay = this.closing.values().toArray(CompletableFuture<?>[]::new);
		}
		var unused = CompletableFuture.allOf(underWay)
			.thenCompose((done) -> this.client.shutdownAsync(0, 1, TimeUnit.SECONDS))
			.whenComplete((done, failure) -> over.complete(null));
		return over;
	}

}
