// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.store.LockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;

/**
 * What one application has: a connection factory, a store and a registry, which it all
 * gives up when closed. Keeps what its listener is told.
 */
final class Instance implements LockListener, AutoCloseable {

	private static final AtomicInteger sequence = new AtomicInteger();

	private final String id;

	private final Queue<String> events = new ConcurrentLinkedQueue<>();

	private final Runnable disconnect;

	private final LockStore store;

	private final DefaultLockRegistry registry;

	/**
	 * Start an application that waits long for answers and polls rarely, so that neither
	 * hides anything.
	 * @param port the port of Redis
	 */
	Instance(int port) {
		this(port, settings(Duration.ofSeconds(10), Duration.ofSeconds(30)));
	}

	Instance(int port, RegistrySettings settings) {
		this(new RedisStandaloneConfiguration("127.0.0.1", port), settings);
	}

	/**
	 * Start an application whose client has threads and timers of its own.
	 * @param port the port of Redis
	 * @param resources what the client runs on, which the caller shuts down
	 */
	Instance(int port, ClientResources resources) {
		this(nextId(), new RedisStandaloneConfiguration("127.0.0.1", port), resources,
				settings(Duration.ofSeconds(10), Duration.ofSeconds(30)));
	}

	/**
	 * Start an application that knows Redis by a name.
	 * @param host the name
	 * @param resources what resolves it
	 */
	Instance(String host, ClientResources resources) {
		this(nextId(), new RedisStandaloneConfiguration(host), resources,
				settings(Duration.ofSeconds(1), Duration.ofSeconds(1)));
	}

	/**
	 * Start an application that was given an id, perhaps one that another has, too.
	 * @param id what the application calls itself
	 * @param port the port of Redis
	 */
	Instance(String id, int port) {
		this(id, new RedisStandaloneConfiguration("127.0.0.1", port), Clients.RESOURCES,
				settings(Duration.ofSeconds(10), Duration.ofSeconds(30)));
	}

	/**
	 * Start an application.
	 * @param port the port of Redis
	 * @param store the settings of its store
	 */
	Instance(int port, RedisStoreSettings store) {
		this(nextId(), new RedisStandaloneConfiguration("127.0.0.1", port), Clients.RESOURCES,
				settings(Duration.ofSeconds(10), Duration.ofSeconds(30)), store);
	}

	/**
	 * Start an application whose acquisitions a replica has to acknowledge.
	 * @param port the port of Redis
	 * @param settings the settings of its registry
	 * @param limit how long the replica has
	 */
	static Instance acknowledged(int port, RegistrySettings settings, Duration limit) {
		return new Instance(nextId(), new RedisStandaloneConfiguration("127.0.0.1", port), Clients.RESOURCES, settings,
				RedisStoreSettings.defaults().withReplicasAcknowledged(1).withAcknowledgementTimeout(limit));
	}

	/**
	 * Start an application that keeps its locks in a store of any kind.
	 * @param disconnect ends the connections, after the store
	 */
	static Instance of(LockStore store, Runnable disconnect, RegistrySettings settings) {
		return new Instance(nextId(), store, disconnect, settings);
	}

	Instance(RedisConfiguration configuration, RegistrySettings settings) {
		this(nextId(), configuration, Clients.RESOURCES, settings);
	}

	private Instance(String id, RedisConfiguration configuration, ClientResources resources,
			RegistrySettings settings) {
		this(id, configuration, resources, settings, RedisStoreSettings.defaults());
	}

	private Instance(String id, RedisConfiguration configuration, ClientResources resources, RegistrySettings settings,
			RedisStoreSettings store) {
		this(id, connect(configuration, resources), settings, store);
	}

	private Instance(String id, LettuceConnectionFactory factory, RegistrySettings settings, RedisStoreSettings store) {
		this(id, new RedisLockStore(factory, store), factory::destroy, settings);
	}

	private Instance(String id, LockStore store, Runnable disconnect, RegistrySettings settings) {
		this.id = id;
		this.store = store;
		this.disconnect = disconnect;
		this.registry = new DefaultLockRegistry(this.id, this.store, settings, List.of(this));
	}

	private static LettuceConnectionFactory connect(RedisConfiguration configuration, ClientResources resources) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration,
				LettuceClientConfiguration.builder()
					// what Spring Boot has by default
					.clientOptions(ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build())
					.commandTimeout(RedisURI.DEFAULT_TIMEOUT_DURATION)
					.clientResources(resources)
					.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Return settings that give holders no time at shutdown.
	 * @param commandTimeout how long to wait for the answer to one command
	 * @param pollInterval how often a waiting instance asks again by itself
	 * @return settings with the default ttl, drift and slice
	 */
	static RegistrySettings settings(Duration commandTimeout, Duration pollInterval) {
		return RegistrySettings.defaults()
			.withCommandTimeout(commandTimeout)
			.withPollInterval(pollInterval)
			.withShutdownGrace(Duration.ZERO);
	}

	/**
	 * Return where a Redis is.
	 * @param address the port of a server, or nodes of a cluster with commas between them
	 * @return its configuration
	 */
	static RedisConfiguration at(String address) {
		return address.contains(":") ? new RedisClusterConfiguration(List.of(address.split(",", -1)))
				: new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(address));
	}

	private static String nextId() {
		return "i" + ProcessHandle.current().pid() + "-" + sequence.incrementAndGet();
	}

	String id() {
		return this.id;
	}

	DefaultLockRegistry registry() {
		return this.registry;
	}

	/**
	 * Return what the listener was told so far.
	 * @return events such as {@code lost EXPIRED stock:42}
	 */
	Queue<String> events() {
		return this.events;
	}

	@Override
	public void lost(LeaseInfo lease, LossCause cause) {
		this.events.add("lost %s %s".formatted(cause, lease.key()));
	}

	@Override
	public void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
		this.events.add("unconfirmed " + lease.key());
	}

	@Override
	public void abandoned(LeaseInfo lease) {
		this.events.add("abandoned " + lease.key());
	}

	@Override
	public void clockSetBack(String key, Duration remaining, Duration setBack) {
		this.events.add("clock set back " + key);
	}

	@Override
	public void close() {
		this.registry.stop();
		this.store.close();
		this.disconnect.run();
	}

	static final class Clients {

		static final ClientResources RESOURCES = ClientResources.builder()
			.ioThreadPoolSize(2)
			.computationThreadPoolSize(2)
			.build();

	}

}
