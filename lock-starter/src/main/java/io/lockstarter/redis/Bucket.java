// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.redis.LockRequest.Brief;
import io.lockstarter.redis.LockRequest.Full;
import io.lockstarter.redis.connection.BulkStrings;
import io.lockstarter.redis.connection.Line;
import io.lockstarter.redis.connection.RedisConnections;
import io.lockstarter.store.LockStore.Signals;

/**
 * All locks that share a hash tag, and so are on the same server.
 */
final class Bucket {

	private final RedisNames names;

	private final ScriptPart part;

	// what the names of the keys of each lock begin with, the lock itself first
	private final List<String> heads;

	private final RedisConnections connections;

	private final int index;

	private final Line line;

	private final Line renewals;

	Bucket(RedisNames names, ScriptPart part, RedisConnections connections, int index) {
		this.names = names;
		this.part = part;
		this.heads = List.of(names.lock(""), names.queue(""), names.readers(""), names.forced(""));
		this.connections = connections;
		this.index = index;
		this.line = connections.line(index);
		this.renewals = connections.lineApart(index);
	}

	/**
	 * Return what a command sends that may need nothing but its locks.
	 * @param enough whether they are enough, as far as is known
	 */
	LockRequest brief(List<String> locks, BulkStrings arguments, boolean enough) {
		return brief(locks, arguments, LockRequest.ALL_KEYS, enough);
	}

	/**
	 * Return what a command sends that may need nothing but its locks.
	 * @param later its flags if it comes again, behind others, as it does need more
	 * @param enough whether they are enough, as far as is known
	 */
	LockRequest brief(List<String> locks, BulkStrings arguments, String later, boolean enough) {
		if (!enough || this.part != ScriptPart.NONE) {
			return full(locks, LockRequest.ALL_KEYS, arguments);
		}
		BulkStrings keys = new BulkStrings(64 * locks.size());
		for (String lock : locks) {
			keys.add(this.heads.get(0), lock);
		}
		return new Brief(keys, arguments, later, locks, this);
	}

	/**
	 * Return what a command sends that has all keys of its locks.
	 * @param arguments its arguments, which begin with its flags
	 */
	Full full(List<String> locks, BulkStrings arguments) {
		BulkStrings keys = new BulkStrings(256 * locks.size());
		for (String lock : locks) {
			for (String head : this.heads) {
				keys.add(head, lock);
			}
			this.part.keysBeside(this.names.tag(), lock).forEach(keys::add);
		}
		return new Full(keys, arguments);
	}

	/**
	 * Return what a command sends that has all keys of its locks.
	 * @param arguments its arguments without flags
	 */
	Full full(List<String> locks, String flags, BulkStrings arguments) {
		return full(locks, new BulkStrings(128).add(flags).addAll(arguments));
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
