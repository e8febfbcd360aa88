// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.standalone;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.lockstarter.LockInspector;
import io.lockstarter.LockListener;
import io.lockstarter.LockRegistry;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.InstanceId;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.store.LockStore;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Locks in Redis for an application that is not made by Spring Boot, open from
 * {@link Builder#open()} up to {@link #close()}. One for each application is enough. They
 * exclude those of services with Spring Boot if the Redis and the prefix of keys are the
 * same. Thread-safe.
 *
 * @since 0.1
 */
public final class StandaloneLocks implements AutoCloseable {

	private final DefaultLockRegistry registry;

	private final LockStore store;

	private StandaloneLocks(DefaultLockRegistry registry, LockStore store) {
		this.registry = registry;
		this.store = store;
	}

	/**
	 * Begin with locks in the Redis of a connection factory: one server, Sentinel or a
	 * cluster.
	 * @param factory the connection factory, which is started, and which its owner stops
	 * after the locks were closed
	 * @return what makes the locks, with the defaults of the properties
	 */
	public static Builder in(LettuceConnectionFactory factory) {
		return new Builder(factory);
	}

	/**
	 * Return the registry of the locks.
	 * @return the registry, the same one each time
	 */
	public LockRegistry registry() {
		return this.registry;
	}

	/**
	 * Return what shows the locks.
	 * @return the inspector, the same one each time
	 */
	public LockInspector inspector() {
		return this.registry;
	}

	/**
	 * Refuse new acquirers and those that wait, give holders 10 seconds to finish, and
	 * close the connections. What is still held then expires with its ttl. Another call
	 * does nothing.
	 */
	@Override
	public void close() {
		try {
			this.registry.stop();
		}
		finally {
			this.store.close();
		}
	}

	/**
	 * Makes locks. Not thread-safe.
	 */
	public static final class Builder {

		private final LettuceConnectionFactory factory;

		private final List<LockListener> listeners = new ArrayList<>();

		private RegistrySettings settings = RegistrySettings.defaults();

		private RedisStoreSettings redis = RedisStoreSettings.defaults();

		private Builder(LettuceConnectionFactory factory) {
			this.factory = factory;
		}

		/**
		 * Set what the names of all keys and channels in Redis begin with.
		 * @param keyPrefix neither blank nor with braces or white space; {@code lock} by
		 * default
		 * @return this builder
		 * @throws IllegalArgumentException if it cannot be used
		 */
		public Builder keyPrefix(String keyPrefix) {
			this.redis = this.redis.withKeyPrefix(keyPrefix);
			return this;
		}

		/**
		 * Set the ttl of locks whose options leave it open.
		 * @param ttl longer than the 2 seconds for which a command is waited, as a lock
		 * would expire before its renewal is given up; 30 seconds by default
		 * @return this builder
		 * @throws IllegalArgumentException if it is out of bounds
		 */
		public Builder ttl(Duration ttl) {
			RegistrySettings changed = this.settings.withTtl(ttl);
			if (ttl.compareTo(changed.commandTimeout()) <= 0) {
				throw new IllegalArgumentException(
						"ttl must be longer than 2 s, but is %d ms: a lock would expire before a command to renew it is given up"
							.formatted(ttl.toMillis()));
			}
			this.settings = changed;
			return this;
		}

		/**
		 * Set how long acquirers wait whose options leave it open.
		 * @param waitTime zero to try once; 10 seconds by default
		 * @return this builder
		 * @throws IllegalArgumentException if it is out of bounds
		 */
		public Builder waitTime(Duration waitTime) {
			this.settings = this.settings.withWaitTime(waitTime);
			return this;
		}

		/**
		 * Add a listener.
		 * @param listener whom to tell of losses and of what else it has a method for
		 * @return this builder
		 */
		public Builder listener(LockListener listener) {
			this.listeners.add(listener);
			return this;
		}

		/**
		 * Open the locks, without waiting for the first connection.
		 * @return the locks, to be closed by the caller
		 */
		public StandaloneLocks open() {
			LockStore store = new RedisLockStore(this.factory, this.redis);
			DefaultLockRegistry registry = new DefaultLockRegistry(InstanceId.create("standalone"), store,
					this.settings, this.listeners);
			try {
				registry.start();
			}
			catch (RuntimeException | Error ex) {
				store.close();
				throw ex;
			}
			return new StandaloneLocks(registry, store);
		}

	}

}
