// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;

/**
 * A JVM whose threads lock keys of their own at full speed, in little memory. Says every
 * second how many cycles there were so far, and what lives on the heap.
 */
final class SteadyApplication {

	private static final int THREADS = 32;

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private SteadyApplication() {
	}

	/**
	 * Run.
	 * @param args port of Redis, how many seconds
	 */
	public static void main(String... args) throws InterruptedException {
		JvmProcess.listenToParent();
		AtomicLong cycles = new AtomicLong();
		long end = System.nanoTime() + Duration.ofSeconds(Long.parseLong(args[1])).toNanos();
		try (Instance instance = new Instance(Integer.parseInt(args[0]))) {
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < THREADS; i++) {
				String key = "own-" + i;
				Thread thread = new Thread(() -> {
					while (System.nanoTime() < end) {
						cycle(instance, key);
						cycles.incrementAndGet();
					}
				}, "steady-" + i);
				thread.start();
				threads.add(thread);
			}
			while (System.nanoTime() < end) {
				LockSupport.parkNanos(1_000_000_000);
				System.out.printf("alive %d %d%n", cycles.get(), liveHeap());
			}
			for (Thread thread : threads) {
				thread.join();
			}
			System.out.printf("done %d %d%n", cycles.get(), liveHeap());
		}
	}

	private static void cycle(Instance instance, String key) {
		try (Lease lease = instance.registry().acquire(key, OPTIONS)) {
			if (!lease.isValid()) {
				System.out.println("lost " + key);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static long liveHeap() {
		System.gc();
		return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
	}

}
