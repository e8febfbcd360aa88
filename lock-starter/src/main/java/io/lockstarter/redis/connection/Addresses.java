// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import io.lettuce.core.RedisURI;

/**
 * Copies and names addresses of servers.
 */
final class Addresses {

	private Addresses() {
	}

	/**
	 * Copy an address. The builder of Lettuce that does so forgets the Sentinels.
	 */
	static RedisURI copy(RedisURI source) {
		RedisURI copy = new RedisURI();
		copy.setHost(source.getHost());
		copy.setPort(source.getPort());
		copy.setSocket(source.getSocket());
		copy.setSentinelMasterId(source.getSentinelMasterId());
		copy.setDatabase(source.getDatabase());
		copy.setClientName(source.getClientName());
		copy.setLibraryName(source.getLibraryName());
		copy.setLibraryVersion(source.getLibraryVersion());
		copy.setCredentialsProvider(source.getCredentialsProvider());
		copy.applySsl(source);
		copy.setTimeout(source.getTimeout());
		source.getSentinels().forEach((sentinel) -> copy.getSentinels().add(copy(sentinel)));
		return copy;
	}

	static String name(RedisURI server) {
		return server.getHost() + ":" + server.getPort();
	}

}
