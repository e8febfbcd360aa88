// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.RedisURI;

/**
 * Told of connections for commands, and of trouble with them and with subscriptions. Must
 * neither block nor call back.
 */
public interface ConnectionObserver {

	/**
	 * Commands of a slot go over a new connection from now on, but for those that have
	 * one of their own. If there was one before, {@link #reordered} was called first.
	 * @param address where the server is, or the Sentinels, or a node of the cluster
	 * @param server what the server says of itself
	 * @param again whether there was a connection before
	 */
	void connected(RedisURI address, ServerInfo server, boolean again);

	/**
	 * A connection was replaced: what was sent before may be executed now, or twice.
	 */
	void reconnected();

	/**
	 * Commands of a slot go over another connection than those before, and so may
	 * overtake them.
	 * @param index the index of its script
	 */
	void reordered(int index);

	/**
	 * No server can be reached, which is tried again until it works.
	 * @param address where it was looked for
	 * @param reason what went wrong, as it can be printed
	 */
	void unreachable(RedisURI address, String reason);

	/**
	 * A server can be reached again.
	 * @param address where it was looked for
	 * @param after for how long it could not be, such as {@code after 20 ms}
	 */
	void reachable(RedisURI address, String after);

	/**
	 * A subscription failed, which is tried again until it works.
	 * @param channel the channel
	 * @param reason what went wrong, as it can be printed
	 */
	void notSubscribed(String channel, String reason);

	/**
	 * A channel is subscribed to again.
	 * @param channel the channel
	 */
	void subscribedAgain(String channel);

}
