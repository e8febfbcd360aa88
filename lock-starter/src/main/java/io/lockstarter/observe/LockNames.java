// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The lock names that may be values of a tag. Their number is bounded, so that a name
 * that is a key by mistake does not fill the memory.
 */
final class LockNames {

	private static final Log logger = LogFactory.getLog(LockNames.class);

	private final Set<String> known = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Return the name, or {@link LockMetrics#OTHER_NAMES} if there are too many.
	 */
	String of(String name) {
		if (this.known.contains(name)) {
			return name;
		}
		if (this.known.size() < LockMetrics.MAX_NAMES) {
			this.known.add(name);
			return name;
		}
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(("There are more than %d lock names: '%s' and further ones share the meters of '%s'. "
					+ "Give a lock a name that is the same for all of its keys")
				.formatted(LockMetrics.MAX_NAMES, name, LockMetrics.OTHER_NAMES));
		}
		return LockMetrics.OTHER_NAMES;
	}

}
