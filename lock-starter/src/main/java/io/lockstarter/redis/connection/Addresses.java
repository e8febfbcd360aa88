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
