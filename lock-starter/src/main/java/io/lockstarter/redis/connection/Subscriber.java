// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

/**
 * Told of what comes over a channel. Must not block.
 */
public interface Subscriber {

	/**
	 * A message came.
	 * @param payload its text
	 */
	void message(String payload);

	/**
	 * Messages are received from now on, or are not.
	 * @param active whether they are
	 */
	void listening(boolean active);

}
