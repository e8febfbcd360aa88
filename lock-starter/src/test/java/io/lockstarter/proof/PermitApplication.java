// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.Permits;
import org.jspecify.annotations.Nullable;

/**
 * One of several JVMs that want the same permits all the time, with several threads. It
 * writes to a file what it knows of each, for a {@link PermitWitness}. Told {@code keep},
 * the next to get a permit keeps it for as long as it is valid; told {@code end}, it
 * ends.
 */
final class PermitApplication {

	static final String KEY = "checkout";

	static final int LIMIT = 3;

	private static final int WORKERS = 4;

	private final Permits permits;

	private final FileOutputStream file;

	private final AtomicBoolean keep = new AtomicBoolean();

	private final CountDownLatch running = new CountDownLatch(WORKERS);

	private volatile boolean over;

	private PermitApplication(Permits permits, FileOutputStream file) {
		this.permits = permits;
		this.file = file;
	}

	/**
	 * Take permits until told to end.
	 * @param args port of Redis, file of the witness, ttl
	 */
	public static void main(String... args) throws IOException, InterruptedException {
		BlockingQueue<String> commands = JvmProcess.listenToParent();
		Duration patience = Duration.ofSeconds(10);
		try (Instance instance = new Instance(Integer.parseInt(args[0]), Instance.settings(patience, patience));
				FileOutputStream file = new FileOutputStream(Path.of(args[1]).toFile())) {
			instance.registry().acquire("warm-up-" + instance.id(), LockOptions.defaults()).close();
			LockOptions options = LockOptions.defaults()
				.withTtl(Duration.parse(args[2]))
				.withWaitTime(Duration.ofMinutes(1));
			PermitApplication application = new PermitApplication(instance.registry().permits(KEY, LIMIT, options),
					file);
			System.out.println("ready");
			application.run(commands);
		}
		System.out.println("done");
	}

	private void run(BlockingQueue<String> commands) throws InterruptedException {
		for (int i = 0; i < WORKERS; i++) {
			new Thread(this::work).start();
		}
		for (String command = commands.take(); !command.equals("end"); command = commands.take()) {
			this.keep.set(true);
		}
		this.over = true;
		this.running.await();
	}

	private void work() {
		Lease before = null;
		while (!this.over) {
			try {
				Lease permit = this.permits.acquire();
				hold(permit, before);
				before = permit;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		this.running.countDown();
	}

	private void hold(Lease permit, @Nullable Lease before) {
		tellHeld(permit);
		if (before != null) {
			// Somebody else may have its slot by now.
			before.close();
		}
		if (this.keep.compareAndSet(true, false)) {
			System.out.println("keeps " + permit.key());
			while (tellHeld(permit)) {
				LockSupport.parkNanos(10_000_000);
			}
		}
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(10_000_000));
		tellHeld(permit);
		tell("D", permit, System.nanoTime());
		permit.close();
		permit.close();
	}

	/**
	 * Tell up to when a permit is held, at least.
	 */
	private boolean tellHeld(Lease permit) {
		long now = System.nanoTime();
		long left = permit.remaining().toNanos();
		if (left <= 0 || !permit.isValid()) {
			return false;
		}
		tell("H " + now, permit, now + left);
		return true;
	}

	/**
	 * In one write, which is done when the process is killed, or is not.
	 */
	private void tell(String what, Lease permit, long instant) {
		String line = "%s %s %d %d%n".formatted(what, permit.key(), permit.fencingToken(), instant);
		try {
			this.file.write(line.getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
