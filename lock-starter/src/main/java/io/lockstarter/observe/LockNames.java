/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

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
