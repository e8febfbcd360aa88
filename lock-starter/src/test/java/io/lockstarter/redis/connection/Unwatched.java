// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.RedisURI;

/**
 * An observer of connections that does nothing.
 */
final class Unwatched implements ConnectionObserver {

	@Override
	public void connected(RedisURI address, ServerInfo server, boolean again) {
	}

	@Override
	public void reconnected() {
	}

	@Override
	public void reordered(int slot) {
	}

	@Override
	public void unreachable(RedisURI address, String reason) {
	}

	@Override
	public void reachable(RedisURI address, String after) {
	}

	@Override
	public void notSubscribed(String channel, String reason) {
	}

	@Override
	public void subscribedAgain(String channel) {
	}

}
