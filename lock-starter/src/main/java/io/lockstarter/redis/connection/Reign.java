// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.concurrent.TimeUnit;

/**
 * For how long a server has been the primary: since before the connection was opened, as
 * far as known. Demotion closes no connection, and who sends nothing meanwhile does not
 * notice it. So the server is asked, together with a command that needs the primary and
 * every 20 ms at most: that costs it 4 µs, and no other carries out commands that need
 * the primary in less. Thread-safe.
 */
final class Reign {

	private static final long TRUST = TimeUnit.MILLISECONDS.toNanos(20);

	private static final BulkStrings NO_QUESTION = new BulkStrings(8).add("");

	private final BulkStrings id;

	private final boolean known;

	private volatile long confirmedAt;

	/**
	 * Create a reign.
	 * @param id the id of the server's replication, which changes with each promotion;
	 * empty if unknown
	 * @param askedAt when the server was asked for it
	 */
	Reign(String id, long askedAt) {
		this.id = new BulkStrings(id.length() + 16).add(id);
		this.known = !id.isEmpty();
		this.confirmedAt = askedAt;
	}

	/**
	 * Return whether to ask the server again.
	 */
	boolean isInDoubt(long now) {
		return this.known && now - this.confirmedAt >= TRUST;
	}

	/**
	 * Return the argument of a call that asks, or of one that does not.
	 */
	BulkStrings argument(boolean asks) {
		return asks ? this.id : NO_QUESTION;
	}

	/**
	 * The server executed a call that asked.
	 * @param askedAt when the call was written
	 */
	void confirmed(long askedAt) {
		this.confirmedAt = askedAt;
	}

}
