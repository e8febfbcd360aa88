// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One connection to each server, for all who need one at the same time. Thread-safe.
 */
final class SharedConnections {

	private final Map<String, CompletableFuture<SharedConnection>> connections = new HashMap<>();

	/**
	 * Join the connection to a server, which is made if there is none.
	 * @param connect makes a connection
	 */
	CompletableFuture<SharedConnection> join(String server, Supplier<CompletableFuture<SharedConnection>> connect) {
		CompletableFuture<SharedConnection> promise = new CompletableFuture<>();
		CompletableFuture<SharedConnection> present;
		synchronized (this.connections) {
			this.connections.values().removeIf(SharedConnections::isOver);
			present = this.connections.putIfAbsent(server, promise);
		}
		if (present == null) {
			var unused = LettuceClient.begin(connect).whenComplete((opened, failure) -> {
				if (failure != null) {
					forget(server, promise);
					promise.completeExceptionally(failure);
				}
				else {
					promise.complete(opened);
				}
			});
		}
		CompletableFuture<SharedConnection> found = (present != null) ? present : promise;
		boolean made = present == null;
		return found.thenCompose((opened) -> {
			if (opened.join()) {
				return CompletableFuture.completedFuture(opened);
			}
			forget(server, found);
			return made ? CompletableFuture.failedFuture(SharedConnection.lost()) : join(server, connect);
		});
	}

	private static boolean isOver(CompletableFuture<SharedConnection> connection) {
		return connection.isDone() && (connection.isCompletedExceptionally() || !connection.join().isOpen());
	}

	private void forget(String server, CompletableFuture<SharedConnection> connection) {
		synchronized (this.connections) {
			this.connections.remove(server, connection);
		}
	}

}
