// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

/**
 * Told of the connections of a line, outside of its monitor. Must neither block nor send
 * commands.
 */
interface LineObserver {

	/**
	 * Commands go over a new connection from now on.
	 * @param again whether there was a connection before
	 */
	void connected(SharedConnection connection, boolean again);

	/**
	 * Commands of a connection before were sent, perhaps after others that are later.
	 */
	void reordered();

	/**
	 * The line was closed meanwhile.
	 */
	void closed();

	/**
	 * Commands may go over another link than before, or over none. May ask for it, and
	 * find out that it is lost.
	 */
	void linkChanged();

}
