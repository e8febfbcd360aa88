// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.redis.connection.Line;
import io.lockstarter.redis.connection.RedisConnections;
import io.lockstarter.store.LockStore.Signals;

/**
 * All locks that share a hash tag, and so are on the same server.
 */
final class Bucket {

	private final RedisNames names;

	private final RedisConnections connections;

	private final int index;

	private final Line line;

	private final Line renewals;

	Bucket(RedisNames names, RedisConnections connections, int index) {
		this.names = names;
		this.connections = connections;
		this.index = index;
		this.line = connections.line(index);
		this.renewals = connections.lineApart(index);
	}

	RedisNames names() {
		return this.names;
	}

	<T> CompletableFuture<T> send(LockCommand<T> command) {
		command.sendOver(this.line);
		return command;
	}

	/**
	 * Send a command that keeps locks, and so must not wait behind others.
	 */
	<T> CompletableFuture<T> sendRenewal(LockCommand<T> command) {
		command.sendOver(this.renewals);
		return command;
	}

	void listen(String instance, Signals signals) {
		this.connections.subscribe(this.index, this.names.channel(instance), new SignalReader(instance, signals));
	}

	void ignore(String instance) {
		this.connections.unsubscribe(this.index, this.names.channel(instance));
	}

}
