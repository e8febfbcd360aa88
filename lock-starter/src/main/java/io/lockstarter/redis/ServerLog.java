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
package io.lockstarter.redis;

import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisURI;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs which Redis keeps the locks, and warns once if it evicts keys: all keys of locks
 * expire, so every policy but {@code noeviction} may evict them. Thread-safe.
 */
final class ServerLog {

	private static final Log logger = LogFactory.getLog(ServerLog.class);

	private final AtomicBoolean told = new AtomicBoolean();

	private final String prefix;

	private final AtomicBoolean warned = new AtomicBoolean();

	ServerLog(String prefix) {
		this.prefix = prefix;
	}

	void connected(LettuceClient client, ServerConnection<?> connection, boolean again) {
		connected(client.isCluster() ? client.uri() : connection.address(), client.isCluster(), connection.server(),
				again);
	}

	void connected(RedisURI uri, boolean cluster, ServerInfo server, boolean again) {
		if (!again && logger.isInfoEnabled() && !(cluster && this.told.getAndSet(true))) {
			String where = cluster ? "the cluster of " + address(uri)
					: "%s (database %d)".formatted(address(uri), uri.getDatabase());
			logger.info("Distributed locks are kept in %s at %s; the names of their keys begin with '{%s%s'"
				.formatted(server.product(), where, this.prefix, cluster ? ":" : "}"));
		}
		String policy = server.evictionPolicy();
		if (policy != null && this.warned.compareAndSet(false, true)) {
			logger.warn("Redis evicts keys when its memory is full (maxmemory-policy " + policy + "), and with them "
					+ "locks that are held: their holders are told at the next renewal, but another may have the lock "
					+ "by then. Set maxmemory-policy to noeviction, or keep locks in another Redis");
		}
	}

	// Never the whole address, which may have a password.
	static String address(RedisURI uri) {
		if (uri.getSentinelMasterId() != null) {
			return "the primary '%s' that Sentinel names".formatted(uri.getSentinelMasterId());
		}
		return (uri.getSocket() != null) ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
	}

}
