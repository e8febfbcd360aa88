// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

import io.lockstarter.platform.Platform;
import org.jspecify.annotations.Nullable;

/**
 * Provides our Lettuce client. The application's client is asked for anew each time: a
 * connection factory that is stopped and started has another. Thread-safe.
 */
final class CurrentClient {

	private final ApplicationRedis application;

	private final Duration connectTimeout;

	private volatile @Nullable LettuceClient client;

	/**
	 * Create what provides a client, without one yet.
	 */
	CurrentClient(ApplicationRedis application, Duration connectTimeout) {
		this.application = application;
		this.connectTimeout = connectTimeout;
	}

	Platform platform() {
		return this.application.platform();
	}

	/**
	 * Return the client that belongs to the application's present client.
	 * @throws IllegalStateException if the application has none, or none that can be used
	 */
	LettuceClient get() {
		Object present;
		try {
			present = this.application.source().present();
		}
		catch (IllegalStateException ex) {
			var unused = close(CompletableFuture.completedFuture(null));
			throw ex;
		}
		LettuceClient current = this.client;
		return (current != null && current.isOf(present)) ? current : replace(present);
	}

	private synchronized LettuceClient replace(@Nullable Object present) {
		LettuceClient current = this.client;
		if (current != null && current.isOf(present)) {
			return current;
		}
		LettuceClient created = this.application.source().client(present, this.connectTimeout);
		this.client = created;
		if (current != null) {
			var unused = current.close();
		}
		return created;
	}

	/**
	 * Run a short task later, on a thread of the client.
	 * @return what cancels it; {@code null} if there is no client to run it
	 */
	@Nullable Runnable runLater(Runnable task, Duration delay) {
		try {
			return get().runLater(task, delay);
		}
		catch (IllegalStateException | RejectedExecutionException ex) {
			return null;
		}
	}

	/**
	 * Shut the client down. The next call of {@link #get()} creates another.
	 * @param connections completes when its connections are closed, about which it would
	 * complain otherwise
	 */
	CompletableFuture<?> close(CompletableFuture<?> connections) {
		LettuceClient current;
		synchronized (this) {
			current = this.client;
			this.client = null;
		}
		return (current == null) ? connections
				: connections.handle((done, failure) -> current).thenCompose(LettuceClient::close);
	}

}
