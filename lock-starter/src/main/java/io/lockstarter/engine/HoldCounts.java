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

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The locks that the current thread holds, and how often. A nested acquisition is counted
 * here and nowhere else.
 */
final class HoldCounts {

	// one per registry, as two registries do not share their locks
	@SuppressWarnings("ThreadLocalUsage")
	private final ThreadLocal<@Nullable Map<String, Entry>> holds = new ThreadLocal<>();

	/**
	 * Count one more hold if the current thread has the key already.
	 * @return whether it has
	 * @throws io.lockstarter.LockLostException if it had, but lost the lease
	 */
	boolean reenter(String key) {
		Entry hold = find(key);
		if (hold == null) {
			return false;
		}
		hold.lease.checkValid();
		hold.count++;
		return true;
	}

	void enter(String key, DefaultLease lease) {
		Map<String, Entry> held = this.holds.get();
		if (held == null) {
			held = new HashMap<>();
			this.holds.set(held);
		}
		held.put(key, new Entry(lease));
	}

	/**
	 * Count one hold less.
	 * @return the lease to release; {@code null} while holds are left
	 * @throws IllegalMonitorStateException if the current thread does not hold the key
	 */
	@Nullable DefaultLease exit(String key) {
		Entry hold = require(key);
		if (--hold.count > 0) {
			return null;
		}
		Map<String, Entry> held = this.holds.get();
		if (held != null) {
			held.remove(key);
			if (held.isEmpty()) {
				this.holds.remove();
			}
		}
		return hold.lease;
	}

	DefaultLease lease(String key) {
		return require(key).lease;
	}

	int count(String key) {
		Entry hold = find(key);
		return (hold != null) ? hold.count : 0;
	}

	private Entry require(String key) {
		Entry hold = find(key);
		if (hold == null) {
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by thread '%s'".formatted(key, Thread.currentThread().getName()));
		}
		return hold;
	}

	private @Nullable Entry find(String key) {
		Map<String, Entry> held = this.holds.get();
		return (held != null) ? held.get(key) : null;
	}

	private static final class Entry {

		private final DefaultLease lease;

		private int count = 1;

		Entry(DefaultLease lease) {
			this.lease = lease;
		}

	}

}
