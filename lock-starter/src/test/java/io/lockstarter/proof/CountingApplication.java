// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.proof.SharedCounter.Slot;

/**
 * One of several JVMs that count in a {@link SharedCounter} under one key. Its workers
 * acquire in three ways, by turns.
 */
final class CountingApplication {

	static final String KEY = "counter";

	private final LockRegistry registry;

	private final LockOptions options;

	private final SharedCounter counter;

	private final int number;

	private CountingApplication(LockRegistry registry, LockOptions options, SharedCounter counter, int number) {
		this.registry = registry;
		this.options = options;
		this.counter = counter;
		this.number = number;
	}

	/**
	 * Count until told to stop.
	 * @param args port of Redis, file of the counter, number of this JVM, number of
	 * workers, number of the first worker, ttl
	 */
	public static void main(String... args) throws InterruptedException {
		JvmProcess.listenToParent();
		RegistrySettings settings = Instance.settings(Duration.ofSeconds(10), Duration.ofSeconds(5));
		try (Instance instance = new Instance(Integer.parseInt(args[0]), settings)) {
			SharedCounter counter = new SharedCounter(Path.of(args[1]));
			LockOptions options = LockOptions.defaults()
				.withTtl(Duration.parse(args[5]))
				.withWaitTime(Duration.ofMinutes(1));
			var application = new CountingApplication(instance.registry(), options, counter, Integer.parseInt(args[2]));
			application.run(Integer.parseInt(args[3]), Integer.parseInt(args[4]));
		}
	}

	private void run(int workers, int first) throws InterruptedException {
		// to connect may take longer than a short ttl
		this.registry.acquire("warm-up-" + this.number, LockOptions.defaults()).close();
		System.out.println("ready");
		while (this.counter.signalled(Slot.STATE) == 0) {
			LockSupport.parkNanos(1_000_000);
		}
		CountDownLatch running = new CountDownLatch(workers);
		for (int i = 0; i < workers; i++) {
			start(first + i, running);
		}
		running.await();
		System.out.println("done");
	}

	private void start(int worker, CountDownLatch running) {
		switch (worker % 3) {
			case 0 -> new Thread(() -> repeat(running, () -> lock(worker))).start();
			case 1 -> new Thread(() -> repeat(running, () -> call(worker))).start();
			default -> acquireAsync(worker, running);
		}
	}

	private void repeat(CountDownLatch running, Runnable section) {
		while (this.counter.signalled(Slot.STATE) == 1) {
			section.run();
		}
		running.countDown();
	}

	private void lock(int worker) {
		LeasedLock lock = this.registry.obtain(KEY, this.options);
		lock.lock();
		try {
			section(worker, lock.lease().fencingToken());
		}
		finally {
			lock.unlock();
		}
	}

	private void call(int worker) {
		this.registry.call(KEY, this.options, (scope) -> {
			section(worker, this.registry.obtain(KEY).lease().fencingToken());
			return null;
		});
	}

	@SuppressWarnings("FutureReturnValueIgnored")
	private void acquireAsync(int worker, CountDownLatch running) {
		this.registry.acquireAsync(KEY, this.options).whenComplete((lease, failure) -> {
			if (failure != null) {
				failure.printStackTrace(System.out);
				return;
			}
			section(worker, lease.fencingToken());
			lease.releaseAsync();
			if (this.counter.signalled(Slot.STATE) == 1) {
				acquireAsync(worker, running);
			}
			else {
				running.countDown();
			}
		});
	}

	private void section(int worker, long token) {
		this.counter.begin(token);
		this.counter.increment();
		if (this.counter.exchange(Slot.GALLOWS, 1, 2L + this.number)) {
			awaitKill();
		}
		this.counter.end(worker);
	}

	private static void awaitKill() {
		while (true) {
			LockSupport.park();
		}
	}

}
