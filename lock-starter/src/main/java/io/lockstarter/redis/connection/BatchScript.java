// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.time.Duration;

/**
 * The script that carries out commands, many in one call, whose keys share a slot. The
 * first argument of a call asks the server to follow the one that carried out commands
 * before, and to refuse the call if it is a replica: {@code ask}, or {@code moved} if
 * calls went to another process before; or it is empty. The reply has a number or a
 * string for each command, in their order, and one string more if the server was asked
 * and could not follow. A string that begins with "!" is an error, which follows, and
 * says that the command had no effect. Thread-safe.
 */
public interface BatchScript {

	/**
	 * For how long a primary that another one replaced may go on, at most: longer than
	 * Sentinels leave it as it is, and name it.
	 */
	Duration TAKEOVER = Duration.ofSeconds(15);

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
	 * @param asks whether the call asks the server to follow
	 * @return the keys
	 */
	BulkStrings firstKeys(boolean asks);

	/**
	 * Check a primary ahead of the first call.
	 * @param server what the server says of itself
	 * @throws RuntimeException if it must not be used
	 */
	void check(ServerInfo server);

}
