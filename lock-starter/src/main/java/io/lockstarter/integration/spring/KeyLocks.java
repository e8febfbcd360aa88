// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.time.Duration;
import java.util.UUID;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.text.PrintableText;
import org.jspecify.annotations.Nullable;

/**
 * What the lock registries for all versions of Spring Integration have in common.
 */
final class KeyLocks {

	private final LockRegistry registry;

	private final String keyPrefix;

	private final LockOptions options;

	KeyLocks(LockRegistry registry, String keyPrefix, LockOptions options) {
		this.registry = registry;
		this.keyPrefix = keyPrefix;
		this.options = options;
	}

	LeasedLock leased(String key) {
		return this.registry.obtain(key, this.options);
	}

	LeasedLock leased(String key, Duration ttl) {
		return this.registry.obtain(key, this.options.withTtl(ttl));
	}

	/**
	 * Renew a lock for a time, or for its ttl.
	 */
	void renew(Object lockKey, @Nullable Duration ttl) {
		String key = key(lockKey);
		LeasedLock lock = leased(key);
		if (lock.holdCount() == 0) {
			throw notHeld(key);
		}
		if (!lock.extend((ttl != null) ? ttl : lock.lease().ttl())) {
			throw new IllegalStateException("Lock '%s' was lost, and cannot be renewed".formatted(key));
		}
	}

	String key(Object lockKey) {
		if (!isText(lockKey)) {
			throw new IllegalArgumentException(
					"A lock key must be a text, a number, a UUID or a constant, as all instances have to agree on it, but is of %s: give its text"
						.formatted((lockKey != null) ? lockKey.getClass() : null));
		}
		return this.keyPrefix + lockKey;
	}

	static IllegalStateException notHeld(String key) {
		return new IllegalStateException("Lock '%s' is not held by thread '%s'".formatted(key,
				PrintableText.of(Thread.currentThread().getName())));
	}

	private static boolean isText(@Nullable Object key) {
		return key instanceof CharSequence || key instanceof Number || key instanceof UUID || key instanceof Enum
				|| key instanceof Boolean || key instanceof Character;
	}

}
