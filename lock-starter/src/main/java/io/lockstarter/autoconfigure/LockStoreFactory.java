// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.store.LockStore;
import io.lockstarter.redis.RedisStoreSettings;
import org.jspecify.annotations.Nullable;

/**
 * Creates the store of locks, in place of one in the application's Redis, if properties
 * ask for it. A jar that keeps locks elsewhere defines a bean of this type. A
 * {@link LockStore} bean comes first.
 *
 * @since 0.1
 */
public interface LockStoreFactory {

	/**
	 * Return what asks for this store.
	 * @return the property that is set; {@code null} if none is
	 */
	@Nullable String property();

	/**
	 * Create the store, which the caller closes.
	 * @param settings the settings of stores in Redis, as properties have them
	 * @param ttl the ttl of locks that say nothing else
	 * @param commandTimeout how long to wait for the answer to one command
	 * @return the store
	 * @throws io.lockstarter.LockSetupException if properties do not fit
	 */
	LockStore create(RedisStoreSettings settings, Duration ttl, Duration commandTimeout);

}
