// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * What a server says of itself. Immutable.
 *
 * @param runId identifies the process; {@code null} if unknown
 * @param identity identifies the server for as long as it is a primary; {@code null} if
 * unknown
 * @param replica whether it takes no writes because it copies another one
 * @param evictionPolicy which keys it evicts when its memory is full; {@code null} if
 * none, or unknown
 * @param product its name and version, as far as known
 * @param shardsChannels whether a cluster of such servers has channels that are on one
 * node, as of version 7
 */
public record ServerInfo(@Nullable String runId, @Nullable String identity, boolean replica,
		@Nullable String evictionPolicy, String product, boolean shardsChannels) {

	private static final ServerInfo UNKNOWN = new ServerInfo(null, null, false, null, "Redis", true);

	/**
	 * Read the answer to {@code INFO}; {@code null} if it was denied.
	 */
	static ServerInfo of(@Nullable String info) {
		if (info == null) {
			return UNKNOWN;
		}
		String limit = field("maxmemory", info);
		String policy = field("maxmemory_policy", info);
		boolean evicts = limit != null && !limit.equals("0") && policy != null && !policy.equals("noeviction");
		String runId = field("run_id", info);
		// The id of its replication changes with each promotion, that of the process does
		// not.
		String identity = (runId != null) ? runId + "-" + field("master_replid", info) : null;
		return new ServerInfo(runId, identity, "slave".equals(field("role", info)), evicts ? policy : null,
				product(info), !String.valueOf(field("redis_version", info)).startsWith("6."));
	}

	// Valkey also tells the version of Redis that it is compatible with.
	private static String product(String info) {
		String valkey = field("valkey_version", info);
		return (valkey != null) ? "Valkey " + valkey : "Redis " + field("redis_version", info);
	}

	private static @Nullable String field(String name, String info) {
		Matcher matcher = Pattern.compile("^" + name + ":(\\S+)", Pattern.MULTILINE).matcher(info);
		return matcher.find() ? matcher.group(1) : null;
	}

}
