package io.lockstarter.redis;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

/**
 * Warns, once, of a server that throws keys away when its memory is full: all keys of
 * locks expire, so that every policy but {@code noeviction} may meet them. Thread-safe.
 */
final class EvictionWarning {

	private static final Logger logger = System.getLogger(EvictionWarning.class.getName());

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Look at what the server does when its memory is full.
	 * @param policy which keys it throws away; {@code null} if none
	 */
	void consider(@Nullable String policy) {
		if (policy != null && this.warned.compareAndSet(false, true)) {
			logger.log(Level.WARNING, "Redis evicts keys when its memory is full (maxmemory-policy {0}), and with them "
					+ "locks that are held: their holders are told at the next renewal, but another may have the lock "
					+ "by then. Set maxmemory-policy to noeviction, or keep locks in another Redis", policy);
		}
	}

}
