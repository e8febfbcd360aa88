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

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides which keys an instance may retain. A key that was recalled before it was used
 * again is not retained for a pause, which doubles if that happens again soon after, so
 * that a key without affinity costs a recall now and then. Thread-safe.
 * <p>
 * A pause after a revocation, and a least time between two, are what caches of locks use
 * against thrashing: etcd's leasing client waits 2 s, too.
 */
final class RetentionPolicy {

	/**
	 * How many keys are retained at once. Others are released as ever.
	 */
	static final int MOST = 10_000;

	static final long FIRST_PAUSE = TimeUnit.SECONDS.toNanos(2);

	static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(64);

	private final Map<String, Pause> pauses = new ConcurrentHashMap<>();

	private final AtomicInteger retained = new AtomicInteger();

	/**
	 * Return whether to retain a key now, which counts from now on if so.
	 */
	boolean begin(String key, long now) {
		Pause pause = this.pauses.get(key);
		if (pause != null && now < pause.until) {
			return false;
		}
		if (this.retained.incrementAndGet() > MOST) {
			end();
			return false;
		}
		return true;
	}

	/**
	 * A key is not retained any more.
	 */
	void end() {
		this.retained.decrementAndGet();
	}

	/**
	 * Return how many keys are retained.
	 */
	int count() {
		return this.retained.get();
	}

	/**
	 * Pause, as another instance wants a key that was retained in vain.
	 */
	void recalled(String key, long now) {
		if (this.pauses.size() >= MOST) {
			this.pauses.values().removeIf((pause) -> pause.isForgotten(now));
			if (this.pauses.size() > MOST / 2) {
				this.pauses.clear();
			}
		}
		this.pauses.compute(key, (same, before) -> (before == null || before.isForgotten(now))
				? new Pause(FIRST_PAUSE, now) : new Pause(Math.min(2 * before.length, LONGEST_PAUSE), now));
	}

	private static final class Pause {

		private final long length;

		private final long until;

		Pause(long length, long now) {
			this.length = length;
			this.until = now + length;
		}

		boolean isForgotten(long now) {
			return now >= this.until + this.length;
		}

	}

}
