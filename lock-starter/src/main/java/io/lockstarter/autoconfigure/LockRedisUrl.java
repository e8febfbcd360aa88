// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import io.lettuce.core.RedisURI;
import io.lockstarter.LockSetupException;

/**
 * Reads an address of Redis from a property, which may have a password: no message
 * repeats any of it, and no exception that does is a cause.
 */
final class LockRedisUrl {

	private static final Set<String> SCHEMES = Set.of(RedisURI.URI_SCHEME_REDIS, RedisURI.URI_SCHEME_REDIS_SECURE,
			RedisURI.URI_SCHEME_REDIS_SENTINEL, RedisURI.URI_SCHEME_REDIS_SENTINEL_SECURE);

	private static final Set<String> PARAMETERS = Set.of("database", "clientname", "verifypeer", "sentinelmasterid");

	private static final Pattern HOST = Pattern.compile("\\[[0-9a-fA-F:.%]+]|[^:,/@\\[\\]\\s]+");

	private static final Pattern DATABASE = Pattern.compile("[0-9]{1,9}");

	private LockRedisUrl() {
	}

	/**
	 * Read an address.
	 * @param property the name of the property
	 * @throws LockSetupException if it is none of Redis or of its Sentinels
	 */
	static RedisURI parse(String property, String url) {
		try {
			return parse(url);
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException(
					"Property '%s' is not an address of Redis: %s".formatted(property, ex.getMessage()),
					"Set it to 'redis://user:password@host:port/database', or with rediss:// for TLS, or to "
							+ "'redis-sentinel://user:password@host:port,host:port/database?sentinelMasterId=name'. "
							+ "Percent-encode special characters in user and password (%40 for @, %23 for #)",
					null);
		}
	}

	private static RedisURI parse(String url) {
		String[] parts = url.strip().split("://", 2);
		if (parts.length < 2 || !SCHEMES.contains(parts[0])) {
			throw invalid("it must begin with redis://, rediss://, redis-sentinel:// or rediss-sentinel://");
		}
		URI uri = uri(url.strip());
		boolean sentinel = parts[0].endsWith("-sentinel");
		if (uri.getFragment() != null && !sentinel) {
			throw invalid("it has a '#'");
		}
		checkParameters(uri, sentinel);
		RedisURI redis;
		try {
			redis = RedisURI.create(uri);
		}
		catch (RuntimeException ex) {
			throw invalid(
					sentinel ? "it needs hosts, '?sentinelMasterId=' with the name of the primary, and numbers as "
							+ "ports and database" : "it needs a host, and numbers as port and database");
		}
		boolean readable = sentinel ? redis.getSentinels().stream().allMatch((one) -> isHost(one.getHost()))
				: isHost(redis.getHost());
		if (!readable) {
			throw invalid("host or port cannot be read (names of hosts have no '_')");
		}
		return redis;
	}

	private static boolean isHost(String host) {
		return HOST.matcher(host).matches();
	}

	private static URI uri(String url) {
		try {
			return new URI(url);
		}
		catch (URISyntaxException ex) {
			throw invalid("%s at index %d".formatted(ex.getReason(), ex.getIndex()));
		}
	}

	/**
	 * Refuse what Lettuce ignores, or reads as something else.
	 */
	private static void checkParameters(URI uri, boolean sentinel) {
		if (uri.getQuery() == null) {
			return;
		}
		for (String parameter : uri.getQuery().split("[&;]", -1)) {
			String[] parts = parameter.split("=", 2);
			String name = parts[0].toLowerCase(Locale.ROOT);
			if (!PARAMETERS.contains(name)) {
				throw invalid(
						"it has a parameter that is none of database, clientName, verifyPeer and sentinelMasterId");
			}
			if (name.equals("database")) {
				checkDatabase((parts.length > 1) ? parts[1] : "", uri.getPath());
			}
			if (name.equals("sentinelmasterid") && !sentinel) {
				throw invalid("sentinelMasterId needs redis-sentinel:// or rediss-sentinel://");
			}
		}
	}

	private static void checkDatabase(String database, String path) {
		if (!DATABASE.matcher(database).matches()) {
			throw invalid("the parameter database is not a number");
		}
		if (path.length() > 1) {
			throw invalid("it has a database in its path, and another one as a parameter");
		}
	}

	private static IllegalArgumentException invalid(String why) {
		return new IllegalArgumentException(why);
	}

}
