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
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LeasedReadWriteLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.proof.SharedWitness.How;
import org.jspecify.annotations.Nullable;

/**
 * One of several JVMs whose threads read and write under the same key all the time. It
 * writes to a file what it knows of each hold, for a {@link SharedWitness}. Told
 * {@code keep} and how, the next to hold the lock so keeps it for as long as it is valid;
 * told {@code end}, it ends.
 */
final class SharedApplication {

	static final String KEY = "catalog";

	private static final int WORKERS = 4;

	private final LeasedReadWriteLock lock;

	private final FileOutputStream file;

	private final AtomicReference<@Nullable How> keep = new AtomicReference<>();

	private final AtomicLong holds = new AtomicLong();

	private final CountDownLatch running = new CountDownLatch(WORKERS);

	private volatile boolean over;

	private SharedApplication(LeasedReadWriteLock lock, FileOutputStream file) {
		this.lock = lock;
		this.file = file;
	}

	/**
	 * Read and write until told to end.
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
			SharedApplication application = new SharedApplication(instance.registry().obtainReadWrite(KEY, options),
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
			this.keep.set(How.valueOf(command.substring("keep ".length())));
		}
		this.over = true;
		this.running.await();
	}

	private void work() {
		try {
			while (!this.over) {
				turn(ThreadLocalRandom.current().nextInt(10));
			}
			this.running.countDown();
		}
		catch (InterruptedException | RuntimeException ex) {
			// Whoever waits for ever fails, too.
			System.out.println(ex);
			Runtime.getRuntime().halt(1);
		}
	}

	private void turn(int chance) throws InterruptedException {
		if (chance < 7) {
			hold(this.lock.readLock(), How.READS);
		}
		else if (chance < 9) {
			hold(this.lock.writeLock(), How.WRITES);
		}
		else {
			writeAndRead();
		}
	}

	private void hold(LeasedLock way, How how) throws InterruptedException {
		way.acquire();
		use(way, how);
		unlock(way);
	}

	private void writeAndRead() throws InterruptedException {
		this.lock.writeLock().acquire();
		use(this.lock.writeLock(), How.WRITES);
		try {
			this.lock.readLock().acquire();
		}
		catch (LockLostException ex) {
			// Whoever was stopped does not read on.
			unlock(this.lock.writeLock());
			return;
		}
		unlock(this.lock.writeLock());
		use(this.lock.readLock(), How.READS_ON);
		unlock(this.lock.readLock());
	}

	private void use(LeasedLock way, How how) {
		Lease lease = way.lease();
		long number = this.holds.incrementAndGet();
		boolean held = tellHeld(number, how, lease);
		if (held && this.keep.compareAndSet(how, null)) {
			System.out.println("keeps " + how);
			while (tellHeld(number, how, lease)) {
				LockSupport.parkNanos(10_000_000);
			}
		}
		LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(5_000_000));
		tellHeld(number, how, lease);
		tell("D %d %d".formatted(number, System.nanoTime()));
	}

	private static void unlock(LeasedLock way) {
		try {
			way.unlock();
		}
		catch (LockLostException ex) {
			// Whoever was stopped is told so.
		}
	}

	/**
	 * Tell up to when a lock is held, at least.
	 */
	private boolean tellHeld(long number, How how, Lease lease) {
		long now = System.nanoTime();
		long left = lease.remaining().toNanos();
		if (left <= 0 || !lease.isValid()) {
			return false;
		}
		tell("H %d %d %s %d %d".formatted(number, now, how, lease.fencingToken(), now + left));
		return true;
	}

	/**
	 * In one write, which is done when the process is killed, or is not.
	 */
	private void tell(String line) {
		try {
			this.file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
