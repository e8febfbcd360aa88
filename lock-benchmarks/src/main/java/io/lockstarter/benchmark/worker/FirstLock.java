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

	private FirstLock() {
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
