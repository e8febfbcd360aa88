// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.concurrent.atomic.AtomicBoolean;

import io.lettuce.core.RedisURI;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Timer;
import io.lockstarter.redis.connection.ServerInfo;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs which Redis keeps the locks, and whether it can be reached; and warns once if it
 * evicts keys: all keys of locks expire, so every policy but {@code noeviction} may evict
 * them. Thread-safe.
 */
final class ServerLog {

	private static final Log logger = LogFactory.getLog(ServerLog.class);

	private final AtomicBoolean told = new AtomicBoolean();

	private final String prefix;

	private final AtomicBoolean warned = new AtomicBoolean();

	private final boolean cluster;

	private final ScriptPart part;

	private final LimitedLog unreachable;

	private final LimitedLog reachable;

	private final LimitedLog notSubscribed;

	private final LimitedLog subscribedAgain;

	/**
	 * Create a log.
	 * @param prefix what the names of keys begin with
	 * @param part says what it means if the server cannot be reached
	 * @param timer writes what is logged later
	 */
	ServerLog(String prefix, boolean cluster, ScriptPart part, Timer timer) {
		this.prefix = prefix;
		this.cluster = cluster;
		this.part = part;
		this.unreachable = LimitedLog.warnings(logger, "more times Redis could not be reached", timer);
		this.reachable = LimitedLog.infos(logger, "more times Redis could be reached again", timer);
		this.notSubscribed = LimitedLog.warnings(logger, "more times a subscription failed", timer);
		this.subscribedAgain = LimitedLog.infos(logger, "more times signals were received again", timer);
	}

	void connected(RedisURI uri, ServerInfo server, boolean again) {
		if (!again && logger.isInfoEnabled() && !(this.cluster && this.told.getAndSet(true))) {
			String where = this.cluster ? "the cluster of " + address(uri)
					: "%s (database %d)".formatted(address(uri), uri.getDatabase());
			logger.info("Distributed locks are kept in %s at %s; the names of their keys begin with '{%s%s'"
				.formatted(server.product(), where, this.prefix, this.cluster ? ":" : "}"));
		}
		String policy = server.evictionPolicy();
		if (policy != null && this.warned.compareAndSet(false, true)) {
			logger.warn("Redis evicts keys when its memory is full (maxmemory-policy " + policy + "), and with them "
					+ "locks that are held: their holders are told at the next renewal, but another may have the lock "
					+ "by then. Set maxmemory-policy to noeviction, or keep locks in another Redis");
		}
	}

	void unreachable(RedisURI uri, String reason) {
		this.unreachable.write(reason, () -> "Redis cannot be reached, which is tried again until it works; meanwhile "
				+ this.part.whileUnreachable(address(uri)) + ": " + reason);
	}

	void reachable(RedisURI uri, String after) {
		this.reachable.write(after, () -> "Redis can be reached again, %s (%s)".formatted(after, address(uri)));
	}

	void notSubscribed(String channel, String reason) {
		this.notSubscribed.write(reason, () -> ("Cannot subscribe to %s, which is tried again and again from now on: "
				+ "waiters for locks poll instead, and wait longer. Look at Redis, and at the permissions of the user: %s")
			.formatted(channel, reason));
	}

	void subscribedAgain(String channel) {
		this.subscribedAgain.write(channel, () -> "Signals are received again on " + channel);
	}

	// Never the whole address, which may have a password.
	private static String address(RedisURI uri) {
		if (uri.getSentinelMasterId() != null) {
			return "the primary '%s' that Sentinel names".formatted(uri.getSentinelMasterId());
		}
		return (uri.getSocket() != null) ? uri.getSocket() : uri.getHost() + ":" + uri.getPort();
	}

}
