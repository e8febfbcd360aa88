// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;

/**
 * A JVM that does with one lock what its parent says: {@code acquire key ttl wait},
 * {@code acquire-unrenewed key ttl wait}, {@code check}, {@code watch}, {@code release},
 * {@code end}; or with many, which it keeps: {@code many number ttl}, {@code lost}.
 */
final class LockingApplication {

	private final Instance instance;

	private final AtomicInteger lost = new AtomicInteger();

	private volatile Optional<Lease> lease = Optional.empty();

	private LockingApplication(Instance instance) {
		this.instance = instance;
	}

	/**
	 * Do as told.
	 * @param args port of Redis, or nodes of a cluster
	 */
	public static void main(String... args) throws InterruptedException {
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		Duration patience = Duration.ofSeconds(10);
		try (Instance instance = new Instance(Instance.at(args[0]), Instance.settings(patience, patience))) {
			instance.registry().acquire("warm-up-" + instance.id(), LockOptions.defaults()).close();
			System.out.println("ready " + instance.id());
			LockingApplication application = new LockingApplication(instance);
			for (String command = commands.take(); !command.equals("end"); command = commands.take()) {
				application.execute(command.split(" ", -1));
			}
		}
	}

	private void execute(String[] command) {
		switch (command[0]) {
			case "acquire" -> new Thread(() -> acquire(command[1],
					LockOptions.defaults()
						.withTtl(Duration.parse(command[2]))
						.withWaitTime(Duration.parse(command[3]))))
				.start();
			case "acquire-unrenewed" -> new Thread(() -> acquire(command[1],
					LockOptions.defaults()
						.withTtl(Duration.parse(command[2]))
						.withWaitTime(Duration.parse(command[3]))
						.withRenew(false)))
				.start();
			case "check" -> {
				// before anything else could notice the loss
				boolean valid = this.lease.orElseThrow().isValid();
				System.out.println("valid " + valid);
			}
			case "many" -> new Thread(() -> many(Integer.parseInt(command[1]), Duration.parse(command[2]))).start();
			case "lost" -> System.out.println("lost " + this.lost);
			case "watch" -> new Thread(this::watch).start();
			case "release" -> System.out.println("released " + this.lease.orElseThrow().releaseAsync().join());
			default -> throw new IllegalArgumentException(command[0]);
		}
	}

	/**
	 * Ask without a pause until the lease is lost, and say when it was last held.
	 */
	private void watch() {
		Lease watched = this.lease.orElseThrow();
		System.out.println("watching");
		long held = 0;
		for (long now = System.nanoTime(); watched.isValid(); now = System.nanoTime()) {
			held = now;
		}
		System.out.println("held " + held);
	}

	private void many(int number, Duration ttl) {
		LockOptions options = LockOptions.defaults().withTtl(ttl).withWaitTime(Duration.ofSeconds(10));
		Semaphore inFlight = new Semaphore(2000);
		List<CompletableFuture<Lease>> acquiring = new ArrayList<>();
		for (int i = 0; i < number; i++) {
			inFlight.acquireUninterruptibly();
			CompletableFuture<Lease> acquired = this.instance.registry().acquireAsync("many-" + i, options);
			acquiring.add(acquired.whenComplete((granted, failure) -> inFlight.release()));
		}
		acquiring.forEach((future) -> future.join().onLost((cause) -> this.lost.incrementAndGet()));
		System.out.println("many " + number);
	}

	private void acquire(String key, LockOptions options) {
		try {
			this.lease = this.instance.registry().tryAcquire(key, options);
			System.out.println(this.lease.map((held) -> "acquired " + held.fencingToken()).orElse("busy"));
		}
		catch (InterruptedException | RuntimeException ex) {
			System.out.println("failed " + ex);
		}
	}

}
