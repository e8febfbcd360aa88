// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;

/**
 * The first acquisition of a JVM, which opens its connections. It may be repeated:
 * several JVMs that start at once on a few cores can take longer than a command may.
 */
final class FirstLock {

	private static final int ATTEMPTS = 10;

	private static final long REHEARSAL = TimeUnit.SECONDS.toNanos(3);

	private FirstLock() {
	}

	/**
	 * Acquire, and release and acquire again for a while, with nobody in the way. Where
	 * several JVMs want a key, the fairer a lock is to threads of one JVM, the less often
	 * does it go to Redis, so that the warm-up alone would leave that code interpreted.
	 */
	static void rehearse(LockAdapter adapter, String key) throws InterruptedException {
		acquire(adapter, key).unlock();
		for (long end = System.nanoTime() + REHEARSAL; System.nanoTime() - end < 0;) {
			adapter.lock(key).unlock();
		}
	}

	static Held acquire(LockAdapter adapter, String key) throws InterruptedException {
		for (int attempt = 1;; attempt++) {
			try {
				return adapter.lock(key);
			}
			catch (RuntimeException ex) {
				if (attempt == ATTEMPTS) {
					throw ex;
				}
				TimeUnit.SECONDS.sleep(1);
			}
		}
	}

}
