// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tells the listeners that a key stays for longer than was asked for. It does so at every
 * poll, and other keys do so, too: told once in a while for each key, and for some keys
 * only. Thread-safe.
 */
final class ClockWarnings {

	private static final long TOLD_EVERY = TimeUnit.MINUTES.toNanos(1);

	private static final int TOLD_KEYS = 10;

	private final News news;

	private final Timing timing;

	private final AtomicLong againAt = new AtomicLong();

	private final Set<String> told = ConcurrentHashMap.newKeySet();

	ClockWarnings(News news, Timing timing) {
		this.news = news;
		this.timing = timing;
	}

	void setBack(String key, Duration remaining, Duration setBack) {
		long now = this.timing.now();
		long due = this.againAt.get();
		if (now >= due && this.againAt.compareAndSet(due, now + TOLD_EVERY)) {
			this.told.clear();
		}
		if (this.told.size() < TOLD_KEYS && this.told.add(key)) {
			this.news.tell((listener) -> listener.clockSetBack(key, remaining, setBack));
		}
	}

}
