// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lockstarter.text.DurationText;
import io.lockstarter.LockOptions;
import io.lockstarter.LockSetupException;
import io.lockstarter.autoconfigure.LockAddress;
import io.lockstarter.autoconfigure.LockStoreFactory;
import io.lockstarter.quorum.QuorumLockStore;
import io.lockstarter.quorum.QuorumNode;
import io.lockstarter.quorum.autoconfigure.QuorumProperties.Node;
import io.lockstarter.quorum.redis.VotingRedis;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.ScriptPart;
import io.lockstarter.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/**
 * Checks the properties of a quorum, and creates a client for each of its servers. Closed
 * after the store.
 */
final class QuorumStoreFactory implements LockStoreFactory, AutoCloseable {

	private static final Log logger = LogFactory.getLog(QuorumStoreFactory.class);

	private static final String NODES = "distributed-lock.quorum.nodes";

	private static final int FEWEST = 3;

	private static final int MOST = 15;

	private static final Duration END_WITHIN = Duration.ofSeconds(2);

	private final QuorumProperties properties;

	private final ObjectProvider<SslBundles> bundles;

	private final List<RedisClient> clients = new ArrayList<>();

	private @Nullable ClientResources resources;

	QuorumStoreFactory(QuorumProperties properties, ObjectProvider<SslBundles> bundles) {
		this.properties = properties;
		this.bundles = bundles;
	}

	@Override
	public @Nullable String property() {
		return this.properties.getNodes().isEmpty() ? null : NODES;
	}

	/**
	 * Create the store and its clients, without connecting.
	 */
	@Override
	public LockStore create(RedisStoreSettings settings, Duration ttl, Duration commandTimeout) {
		List<Node> configured = this.properties.getNodes();
		Duration maxTtl = this.properties.getMaxTtl();
		checkCount(configured.size());
		checkMaxTtl(maxTtl, ttl);
		checkSettings(settings);
		List<LockAddress> addresses = new ArrayList<>();
		List<Duration> timeouts = new ArrayList<>();
		for (int i = 0; i < configured.size(); i++) {
			addresses.add(address(i, configured.get(i), this.bundles));
			timeouts.add(timeout(i, configured.get(i), commandTimeout));
		}
		checkDifferent(addresses);
		ClientResources shared = DefaultClientResources.create();
		this.resources = shared;
		List<QuorumNode> nodes = new ArrayList<>();
		for (int i = 0; i < addresses.size(); i++) {
			RedisClient client = RedisClient.create(shared, addresses.get(i).uri());
			client.setOptions(addresses.get(i).options());
			this.clients.add(client);
			nodes.add(new QuorumNode(new VotingRedis(client, settings, QuorumLockStore.abstention(maxTtl)),
					timeouts.get(i)));
		}
		return new QuorumLockStore(nodes, maxTtl);
	}

	private static void checkCount(int count) {
		if (count < FEWEST) {
			throw new LockSetupException(
					"Property '%s' has %d %s, and one that fails leaves no majority of them".formatted(NODES, count,
							(count == 1) ? "address" : "addresses"),
					"Name three or five independent servers, or set 'distributed-lock.url' for a single one", null);
		}
		if (count > MOST) {
			throw new LockSetupException(
					"Property '%s' has %d addresses, and can have %d at most".formatted(NODES, count, MOST),
					"Name three or five independent servers: each of them is asked for each lock", null);
		}
		if (count % 2 == 0) {
			logger
				.warn(("Property '%s' has %d addresses: as many servers may fail as with %d, as more than half of them "
						+ "must answer. Name an odd number")
					.formatted(NODES, count, count - 1));
		}
	}

	private static void checkMaxTtl(Duration maxTtl, Duration ttl) {
		if (maxTtl.compareTo(LockOptions.MIN_TTL) < 0 || maxTtl.compareTo(LockOptions.MAX_DURATION) > 0) {
			throw new LockSetupException(
					"Property 'distributed-lock.quorum.max-ttl' must be between %s and %s, but is %s".formatted(
							DurationText.of(LockOptions.MIN_TTL), DurationText.of(LockOptions.MAX_DURATION),
							DurationText.of(maxTtl)),
					"Set another value, or leave it out for the default", null);
		}
		if (ttl.compareTo(maxTtl) > 0) {
			throw new LockSetupException(
					"Property 'distributed-lock.ttl' is '%s', but must not be longer than 'distributed-lock.quorum.max-ttl', which is '%s'"
						.formatted(DurationText.of(ttl), DurationText.of(maxTtl)),
					"Shorten 'distributed-lock.ttl', or lengthen 'distributed-lock.quorum.max-ttl' in all instances: a "
							+ "server grants nothing for longer than that after it was started",
					null);
		}
	}

	private static void checkSettings(RedisStoreSettings settings) {
		if (settings.scriptPart() != ScriptPart.NONE) {
			throw new LockSetupException(
					"Property 'distributed-lock.migration' is set, but locks are in a quorum, and old ones are not",
					"Remove it and stop the old instances before the new ones start, or set 'distributed-lock.url' to "
							+ "the address of the single Redis where the old locks are",
					null);
		}
		if (settings.replicasAcknowledged() > 0) {
			throw new LockSetupException(
					"Property 'distributed-lock.replicas-acknowledged' is set, but servers of a quorum have no replicas",
					"Remove it: a majority of the servers has each lock", null);
		}
	}

	private static LockAddress address(int index, Node node, ObjectProvider<SslBundles> bundles) {
		String property = "%s[%d]".formatted(NODES, index);
		if (!StringUtils.hasText(node.url())) {
			throw new LockSetupException("Property '%s.url' is missing".formatted(property),
					"Set '%s' or '%1$s.url' to an address such as 'redis://user:password@host:port'"
						.formatted(property),
					null);
		}
		LockAddress address = LockAddress.of(property + ".", node.url(), node.sslBundle(), bundles);
		if (!address.uri().getSentinels().isEmpty()) {
			throw new LockSetupException(
					"Property '%s.url' is an address of Sentinels, but each node of a quorum is one server"
						.formatted(property),
					"Set it to the address of a server that is not replicated: one that takes over may not know of a lock",
					null);
		}
		return address;
	}

	// Less than a command has, so that nodes that do not answer leave time for more.
	private static Duration timeout(int index, Node node, Duration commandTimeout) {
		Duration timeout = node.timeout();
		if (timeout == null) {
			return commandTimeout.dividedBy(2);
		}
		if (timeout.compareTo(Duration.ofMillis(1)) < 0 || timeout.compareTo(commandTimeout) >= 0) {
			throw new LockSetupException(
					"Property '%s[%d].timeout' must be at least 1 ms and shorter than 'distributed-lock.command-timeout', which is '%s', but is '%s'"
						.formatted(NODES, index, DurationText.of(commandTimeout), DurationText.of(timeout)),
					"Set another value, or leave it out for half of the command timeout", null);
		}
		return timeout;
	}

	private static void checkDifferent(List<LockAddress> addresses) {
		Map<String, Integer> known = new HashMap<>();
		for (int i = 0; i < addresses.size(); i++) {
			RedisURI uri = addresses.get(i).uri();
			Integer other = known.putIfAbsent(uri.getHost() + ":" + uri.getPort(), i);
			if (other != null) {
				throw new LockSetupException(
						"Properties '%1$s[%2$d]' and '%1$s[%3$d]' are the same server, whose vote would count twice"
							.formatted(NODES, other, i),
						"Name a server once, also if it has several databases", null);
			}
		}
	}

	@Override
	public void close() {
		this.clients.forEach((client) -> client.shutdown(Duration.ZERO, END_WITHIN));
		ClientResources shared = this.resources;
		if (shared != null) {
			shared.shutdown(0, END_WITHIN.toSeconds(), TimeUnit.SECONDS)
				.awaitUninterruptibly(END_WITHIN.toSeconds(), TimeUnit.SECONDS);
		}
	}

}
