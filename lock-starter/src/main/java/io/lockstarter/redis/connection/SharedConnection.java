// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lockstarter.platform.Ticker;

/**
 * Connection to one server, ready for use. In a cluster, all whose keys are on that
 * server share it; it is closed when the last of them leaves. Thread-safe.
 */
final class SharedConnection {

	private final StatefulRedisPubSubConnection<String, String> connection;

	private final RedisURI address;

	private final ServerInfo server;

	private final ReplicaWait replicas;

	private final Supplier<CompletableFuture<?>> closer;

	private final Ticker ticker;

	private volatile long lastReply;

	private int users;

	// no further users
	private boolean over;

	/**
	 * Create it of a connection that is open.
	 * @param ticker the clock for {@link #hasRepliedSince}
	 * @param closer closes that connection
	 */
	SharedConnection(StatefulRedisPubSubConnection<String, String> connection, RedisURI address, ServerInfo server,
			Ticker ticker, Supplier<CompletableFuture<?>> closer) {
		this.connection = connection;
		this.closer = closer;
		this.address = address;
		this.server = server;
		this.ticker = ticker;
		this.lastReply = ticker.nanoTime();
		this.replicas = new ReplicaWait(connection, this::replied);
	}

	StatefulRedisPubSubConnection<String, String> connection() {
		return this.connection;
	}

	/**
	 * Return where the connection leads to: the server, or the Sentinels that named it.
	 */
	RedisURI address() {
		return this.address;
	}

	ServerInfo server() {
		return this.server;
	}

	/**
	 * Return what waits for replicas over this connection.
	 */
	ReplicaWait replicas() {
		return this.replicas;
	}

	boolean isOpen() {
		return this.connection.isOpen();
	}

	/**
	 * Return whether messages come beside the replies to commands. With version 2 of the
	 * protocol, which an application may ask for, a connection that is subscribed takes
	 * no commands.
	 */
	boolean pushes() {
		return this.connection instanceof StatefulRedisConnectionImpl<?, ?> known
				&& known.getConnectionState().getNegotiatedProtocolVersion() != ProtocolVersion.RESP2;
	}

	void replied() {
		this.lastReply = this.ticker.nanoTime();
	}

	/**
	 * Return whether anything was answered since.
	 */
	boolean hasRepliedSince(long nanoTime) {
		return this.lastReply - nanoTime >= 0;
	}

	/**
	 * Become the first user of a connection that was just made.
	 */
	SharedConnection joined() {
		if (!join()) {
			throw lost();
		}
		return this;
	}

	static RedisConnectionException lost() {
		return new RedisConnectionException("The connection was lost as soon as it was made");
	}

	/**
	 * Become a user of the connection.
	 * @return false if it is over
	 */
	synchronized boolean join() {
		if (this.over || !isOpen()) {
			return false;
		}
		this.users++;
		return true;
	}

	/**
	 * Be no user of the connection any more, once for each {@link #join()}.
	 * @return completes when the connection is closed, if nobody else uses it
	 */
	CompletionStage<?> leave() {
		synchronized (this) {
			this.users--;
			if (this.users > 0) {
				return CompletableFuture.completedFuture(null);
			}
			this.over = true;
		}
		return close();
	}

	/**
	 * Take no further users: what is known of the server may be no longer true.
	 */
	synchronized void retire() {
		this.over = true;
	}

	/**
	 * Close the connection for all of its users.
	 */
	CompletionStage<?> close() {
		retire();
		return this.closer.get();
	}

}
