// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.api.async.RedisAsyncCommands;

/**
 * The script that carries out commands, many in one call, whose keys share a slot. The
 * first argument of a call is a question: the id of the server's replication if the
 * server is to refuse the call unless it still has that id, or else empty. The reply has
 * a number or a string for each command, in their order, and perhaps one number more:
 * what the clock of the server shows, in microseconds. A string that begins with "!" is
 * an error, which follows, and says that the command had no effect. Thread-safe.
 */
public interface BatchScript {

	/**
	 * For how long a primary that another one replaced may go on, at most: longer than
	 * Sentinels leave it as it is, and name it.
	 */
	Duration TAKEOVER = Duration.ofSeconds(15);

	/**
	 * Return what is loaded on each server.
	 * @return the text of the script, in UTF-8, which nobody changes
	 */
	byte[] text();

	/**
	 * Return the slot of the keys, in a cluster.
	 * @return its number
	 */
	int slot();

	/**
	 * Return the name of a call and what names the script.
	 * @param inFull whether the script is sent along
	 * @return what a call begins with
	 */
	BulkStrings head(boolean inFull);

	/**
	 * Return the keys that every call has.
	 * @param asks whether the call asks for the id of the server's replication
	 * @return the keys
	 */
	BulkStrings firstKeys(boolean asks);

	/**
	 * Get a primary ready, over a new connection, before the first call.
	 * @param redis sends commands over the connection
	 * @param server what the server says of itself
	 * @param moved whether the connection before led to another server
	 * @return the id of the server's replication, which changes with each promotion;
	 * empty if it is not to be asked for. Fails if the server must not be used
	 */
	CompletionStage<String> prepare(RedisAsyncCommands<String, String> redis, ServerInfo server, boolean moved);

}
