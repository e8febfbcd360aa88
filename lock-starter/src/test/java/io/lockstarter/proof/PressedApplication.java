// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;

import static org.awaitility.Awaitility.await;

/**
 * A JVM that has hardly any memory left, so that the garbage collector stops it all the
 * time, while its threads hold locks with a short ttl. Writes down what they are told.
 */
final class PressedApplication {

	private static final int WORKERS = 3;

	private static final int CHUNK = 256 * 1024;

	/**
	 * How much of the heap is kept from everybody else.
	 */
	private static final double BALLAST = 0.6;

	/**
	 * How many leases it takes for each second, however long that is on a busy machine.
	 */
	private static final int LEASES = 5;

	/**
	 * How much longer that may be than asked for.
	 */
	private static final int LONGEST = 10;

	private static final AtomicInteger leases = new AtomicInteger();

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofMillis(60))
		.withWaitTime(Duration.ofSeconds(1));

	private PressedApplication() {
	}

	/**
	 * Run.
	 * @param args port of Redis, how many seconds, a file for what happens
	 */
	public static void main(String... args) throws Exception {
		JvmProcess.listenToParent();
		long seconds = Long.parseLong(args[1]);
		long length = Duration.ofSeconds(seconds).toNanos();
		try (Instance instance = new Instance(Integer.parseInt(args[0]),
				Instance.settings(Duration.ofSeconds(1), Duration.ofMillis(200)));
				PrintStream file = new PrintStream(new BufferedOutputStream(new FileOutputStream(args[2])), false,
						StandardCharsets.UTF_8)) {
			await().ignoreExceptions().until(() -> instance.registry().call("warm-up", OPTIONS, (scope) -> true));
			long begin = System.nanoTime();
			BooleanSupplier goesOn = () -> {
				long passed = System.nanoTime() - begin;
				return passed < length || (leases.get() < LEASES * seconds && passed < LONGEST * length);
			};
			List<Thread> threads = new ArrayList<>();
			for (int i = 0; i < WORKERS; i++) {
				Thread worker = new Thread(() -> work(instance, file, goesOn), "worker");
				worker.start();
				threads.add(worker);
			}
			Thread allocating = new Thread(() -> allocate(goesOn), "allocating");
			allocating.start();
			for (Thread thread : threads) {
				thread.join();
			}
			allocating.join();
		}
		System.out.println("done");
	}

	private static void work(Instance instance, PrintStream file, BooleanSupplier goesOn) {
		for (int i = 0; goesOn.getAsBoolean(); i++) {
			try {
				Optional<Lease> lease = instance.registry().tryAcquire("pressed", OPTIONS);
				if (lease.isPresent()) {
					hold(lease.get(), file, i % 3 * 20);
				}
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			catch (LockException ex) {
				LockSupport.parkNanos(1_000_000);
			}
		}
	}

	/**
	 * Hold a lease for a while, and ask again and again whether it is held.
	 */
	private static void hold(Lease lease, PrintStream file, int millis) {
		long begin = System.nanoTime();
		long remaining = lease.remaining().toNanos();
		if (remaining > 0) {
			leases.incrementAndGet();
			print(file, "G", begin, begin + remaining, lease);
			while (System.nanoTime() - begin < Duration.ofMillis(millis).toNanos()) {
				long asked = System.nanoTime();
				remaining = lease.remaining().toNanos();
				if (remaining > 0) {
					print(file, "H", asked, asked + remaining, lease);
				}
				else {
					print(file, "L", System.nanoTime(), 0, lease);
				}
				LockSupport.parkNanos(1_000_000);
			}
			print(file, "D", System.nanoTime(), 0, lease);
		}
		lease.close();
	}

	private static void print(PrintStream file, String what, long at, long until, Lease lease) {
		file.println(what + " " + at + " " + until + " " + lease.fencingToken());
	}

	private static void allocate(BooleanSupplier goesOn) {
		List<byte[]> ballast = new ArrayList<>();
		while (Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory() < BALLAST
				* Runtime.getRuntime().maxMemory()) {
			ballast.add(new byte[CHUNK]);
		}
		while (goesOn.getAsBoolean()) {
			// An old one for a new one, so that young ones grow old and all is collected.
			ballast.set((int) (System.nanoTime() & Integer.MAX_VALUE) % ballast.size(), new byte[CHUNK]);
		}
	}

}
