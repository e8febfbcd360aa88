/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.redis.connection;

import java.util.concurrent.TimeUnit;

/**
 * For how long a server has been the primary: since before the connection was opened, as
 * far as known. Demotion closes no connection, and who sends nothing meanwhile does not
 * notice it. So the server is asked, together with a command that needs the primary and
 * every 20 ms at most: that costs it 4 µs, and no other carries out commands that
 * need the primary in less. Thread-safe.
 */
final class Reign {

	private static final long TRUST = TimeUnit.MILLISECONDS.toNanos(20);

	private static final BulkStrings NO_QUESTION = new BulkStrings(8).add("");

	private final BulkStrings id;

	private volatile long confirmedAt;

	/**
	 * Create a reign.
	 * @param id the id of the server's replication, which changes with each promotion;
	 * empty if unknown
	 * @param askedAt when the server was asked for it
	 */
	Reign(String id, long askedAt) {
		this.id = new BulkStrings(id.length() + 16).add(id);
		this.confirmedAt = askedAt;
	}

	/**
	 * Return whether to ask the server again.
	 */
	boolean isInDoubt(long now) {
		return now - this.confirmedAt >= TRUST;
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
