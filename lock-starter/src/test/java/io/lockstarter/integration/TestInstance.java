// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServers;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * What one application has, on the Redis that tests share.
 */
public final class TestInstance implements LockListener, AutoCloseable {

	private static final AtomicInteger sequence = new AtomicInteger();

	private final LettuceConnectionFactory factory = RedisServers.shared().connectionFactory();

	private final RedisLockStore store = new RedisLockStore(this.factory, RedisStoreSettings.defaults());

	private final DefaultLockRegistry registry;

	private final Queue<String> lost = new ConcurrentLinkedQueue<>();

	/**
	 * Start an application.
	 */
	public TestInstance() {
		String id = "bridge" + ProcessHandle.current().pid() + "-" + sequence.incrementAndGet();
		// No time for holders at shutdown: some tests leave a lock behind.
		RegistrySettings settings = RegistrySettings.defaults().withShutdownGrace(Duration.ZERO);
		this.registry = new DefaultLockRegistry(id, this.store, settings, List.of(this));
	}

	/**
	 * Return a key that no other test uses.
	 * @return the key
	 */
	public static String newKey() {
		return "bridge-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + "-" + sequence.incrementAndGet();
	}

	/**
	 * Return where the application locks.
	 * @return the registry
	 */
	public DefaultLockRegistry registry() {
		return this.registry;
	}

	/**
	 * Return the keys whose leases were lost, as the listener was told.
	 * @return the keys
	 */
	public Queue<String> lost() {
		return this.lost;
	}

	@Override
	public void lost(LeaseInfo lease, LossCause cause) {
		this.lost.add(lease.key());
	}

	/**
	 * Return for how long a key stays in Redis.
	 * @param key the key
	 * @return the time; zero if it is free
	 */
	public Duration remaining(String key) {
		Duration remaining = this.registry.inspect(key).join().lock().remaining();
		return (remaining != null) ? remaining : Duration.ZERO;
	}

	@Override
	public void close() {
		this.registry.stop();
		this.store.close();
		this.factory.destroy();
	}

}
