// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.awaitility.Awaitility;

import io.lockstarter.LockOptions;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.platform.Platform;
import io.lockstarter.quorum.redis.VotingRedis;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

/**
 * Real servers of a quorum, and the stores and clients that use them.
 */
final class Servers implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<Runnable> clients = new ArrayList<>();

	private final Duration abstention;

	private final Duration patience;

	Servers(int count, Duration abstention) {
		this(count, abstention, PATIENCE, (node) -> RedisServers.start());
	}

	/**
	 * Start servers.
	 * @param count how many
	 * @param abstention for how long a server that is started anew grants nothing
	 * @param patience how long stores wait for the answer of a server, which they do if
	 * it is paused and its vote counts
	 * @param start starts one of them
	 */
	Servers(int count, Duration abstention, Duration patience, IntFunction<RedisServer> start) {
		this.abstention = abstention;
		this.patience = patience;
		for (int i = 0; i < count; i++) {
			this.servers.add(start.apply(i));
		}
	}

	RedisServer get(int node) {
		return this.servers.get(node);
	}

	/**
	 * Create a store of another instance.
	 */
	LockStore store() {
		List<VotingRedis> nodes = new ArrayList<>();
		for (RedisServer server : this.servers) {
			RedisClient client = RedisClient.create(RedisServers.clientResources(),
					RedisURI.create(server.host(), server.port()));
			VotingRedis node = new VotingRedis(client, RedisStoreSettings.defaults(), this.abstention);
			nodes.add(node);
			this.clients.add(0, client::shutdown);
			this.clients.add(0, node::close);
		}
		// Servers may be slow while other tests run; the time of a lock counts all the
		// same.
		return new QuorumLockStore(nodes.stream().map((node) -> new QuorumNode(node, this.patience)).toList(),
				LockOptions.MAX_DURATION, PATIENCE, Platform.system());
	}

	/**
	 * Return whether an instance is subscribed to its messages at all servers.
	 */
	boolean tell(String instance) {
		String channel = "{lock}signal:" + instance;
		return this.servers.stream()
			.allMatch((server) -> server.commands().pubsubNumsub(channel).getOrDefault(channel, 0L) > 0);
	}

	/**
	 * Return when a majority grants locks.
	 */
	void awaitReady(LockStore store) {
		String instance = UUID.randomUUID().toString();
		Acquire command = new Acquire("ready:" + instance, instance, instance + ":1", Duration.ofSeconds(10), false, 1);
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> isAcquired(store, command));
		store.release(new Release(command.key(), instance, command.ownerId(), false)).join();
	}

	private static boolean isAcquired(LockStore store, Acquire command) {
		try {
			return store.acquire(command).join() instanceof Acquired;
		}
		catch (CompletionException ex) {
			return false;
		}
	}

	@Override
	public void close() {
		this.clients.forEach(Runnable::run);
		this.servers.forEach(RedisServer::close);
	}

}
