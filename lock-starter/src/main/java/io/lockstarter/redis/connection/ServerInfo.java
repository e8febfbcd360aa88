// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.HashMap;
import java.util.Map;

import io.lettuce.core.RedisConnectionException;
import org.jspecify.annotations.Nullable;

/**
 * What a server says of itself. Immutable.
 *
 * @param runId identifies the process; {@code null} if unknown
 * @param replica whether it takes no writes because it copies another one
 * @param evictionPolicy which keys it evicts when its memory is full; {@code null} if
 * none, or unknown
 * @param product its name and version, as far as known
 * @param mode whether it is alone, a node of a cluster or a Sentinel; {@code null} if
 * unknown
 * @param shardsChannels whether a cluster of such servers has channels that are on one
 * node, as of version 7
 */
public record ServerInfo(@Nullable String runId, boolean replica, @Nullable String evictionPolicy, String product,
		@Nullable String mode, boolean shardsChannels) {

	private static final ServerInfo UNKNOWN = new ServerInfo(null, false, null, "Redis", null, true);

	/**
	 * Read the answer to {@code INFO}; {@code null} if it was denied.
	 */
	static ServerInfo of(@Nullable String info) {
		if (info == null) {
			return UNKNOWN;
		}
		Map<String, String> fields = fields(info);
		String limit = fields.get("maxmemory");
		String policy = fields.get("maxmemory_policy");
		boolean evicts = limit != null && !limit.equals("0") && policy != null && !policy.equals("noeviction");
		if ("1".equals(fields.get("loading"))) {
			throw new RedisConnectionException("LOADING the server is loading its data");
		}
		return new ServerInfo(fields.get("run_id"), "slave".equals(fields.get("role")), evicts ? policy : null,
				product(fields), mode(fields), !String.valueOf(fields.get("redis_version")).startsWith("6."));
	}

	/**
	 * Make sure that clients find their keys where others do that have other settings.
	 * @param cluster whether the settings name nodes of a cluster
	 * @return this
	 */
	ServerInfo expectCluster(boolean cluster) {
		if ("sentinel".equals(this.mode)) {
			throw new RedisConnectionException("the server is a Sentinel, which keeps no keys");
		}
		if ("cluster".equals(this.mode) && !cluster) {
			throw new RedisConnectionException(
					"the server is a node of a Redis Cluster, where locks have other keys, and the settings do not say so");
		}
		return this;
	}

	// Valkey also tells the version of Redis that it is compatible with.
	private static String product(Map<String, String> fields) {
		String valkey = fields.get("valkey_version");
		return (valkey != null) ? "Valkey " + valkey : "Redis " + fields.get("redis_version");
	}

	// Valkey names the field so unless it is told to be compatible.
	private static @Nullable String mode(Map<String, String> fields) {
		String mode = fields.get("redis_mode");
		return (mode != null) ? mode : fields.get("server_mode");
	}

	private static Map<String, String> fields(String info) {
		Map<String, String> fields = new HashMap<>();
		info.lines().forEach((line) -> {
			int colon = line.indexOf(':');
			String value = line.substring(colon + 1).strip();
			if (colon > 0 && !value.isEmpty()) {
				fields.putIfAbsent(line.substring(0, colon), value);
			}
		});
		return fields;
	}

}
