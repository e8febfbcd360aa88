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
package io.lockstarter.engine;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Remembers the owner ids that lost a key by force, the last thousand of them: nobody
 * asks for one for longer than its ttl. Thread-safe.
 */
final class ForcedOwners {

	private static final int MOST = 1000;

	private final Set<String> ownerIds = new LinkedHashSet<>();

	// every acquisition asks
	private volatile boolean any;

	synchronized void add(String ownerId) {
		this.any = true;
		this.ownerIds.add(ownerId);
		if (this.ownerIds.size() > MOST) {
			this.ownerIds.remove(this.ownerIds.iterator().next());
		}
	}

	boolean contains(String ownerId) {
		return this.any && isAmong(ownerId);
	}

	private synchronized boolean isAmong(String ownerId) {
		return this.ownerIds.contains(ownerId);
	}

}
