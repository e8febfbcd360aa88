// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.redis.connection.SlotConnections;
import io.lockstarter.store.LockStore.Signals;

/**
 * All locks that share a hash tag, and so are on the same server.
 */
final class Bucket {

	private final RedisNames names;

	private final SlotConnections connections;

	Bucket(RedisNames names, SlotConnections connections) {
		this.names = names;
		this.connections = connections;
	}

	RedisNames names() {
		return this.names;
	}

	<T> CompletableFuture<T> send(LockCommand<T> command) {
		this.connections.send(command);
		return command;
	}

	/**
	 * Send a command that keeps locks, and so must not wait behind others.
	 */
	<T> CompletableFuture<T> sendRenewal(LockCommand<T> command) {
		this.connections.sendApart(command);
		return command;
	}

	void listen(String instance, Signals signals) {
		this.connections.subscribe(this.names.channel(instance), new SignalReader(instance, signals));
	}

	void ignore(String instance) {
		this.connections.unsubscribe(this.names.channel(instance));
	}

}
