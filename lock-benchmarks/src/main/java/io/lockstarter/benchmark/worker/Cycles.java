// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Load;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.scenario.Work;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Many threads that acquire and release; on request while the main thread of the first
 * JVM holds the lock, so that all others do nothing but wait.
 */
final class Cycles implements Task {

	private static final String HOT_KEY = "bench-hot";

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final Assignment assignment;

	private final Load load;

	private final LockAdapter adapter;

	private final SharedMemory memory;

	private final Section holderSection;

	private final List<CycleThread> tasks = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private @Nullable Held holder;

	Cycles(Assignment assignment, LockAdapter adapter, SharedMemory memory) {
		this.assignment = assignment;
		this.load = assignment.scenario().load();
		this.adapter = switch (this.load.work()) {
			case PERMITS -> new Permits(adapter);
			case READS -> new ReadLocks(adapter);
			case READS_AND_WRITES -> new ReadWriteLocks(new ReadLocks(adapter), adapter);
			default -> adapter;
		};
		this.memory = memory;
		this.holderSection = new Section(memory, Duration.ZERO);
	}

	@Override
	public void prepare() throws InterruptedException {
		String key = "bench-first-" + this.assignment.jvm();
		if (this.load.jvms() > 1) {
			FirstLock.rehearse(this.adapter, key);
		}
		else {
			FirstLock.acquire(this.adapter, key).unlock();
		}
		if (this.load.work() == Work.WAITING && this.assignment.jvm() == 0) {
			this.holder = this.adapter.lock(HOT_KEY);
			this.holderSection.enter(this.holder);
		}
	}

	@Override
	public void start(Schedule schedule) {
		for (int i = 0; i < this.load.threads(); i++) {
			String key = this.load.sharedKey() ? HOT_KEY : "bench-%d-%d".formatted(this.assignment.jvm(), i);
			Section section = this.load.sharedKey() ? new Section(this.memory, this.load.section()) : null;
			this.tasks.add(new CycleThread(this.adapter, key, section, schedule,
					(this.load.work() == Work.SOAK) ? null : Result.histogram(),
					this.assignment.scenario().timesRelease()));
		}
		for (CycleThread task : this.tasks) {
			this.threads.add(this.assignment.threads().start(task));
		}
	}

	@Override
	public void end(Result result) throws InterruptedException {
		if (this.holder != null) {
			this.holderSection.leave();
			this.holder.unlock();
		}
		long stuck = awaitThreads();
		result.put(Result.STUCK, stuck);
		if (stuck > 0) {
			return;
		}
		Histogram times = Result.histogram();
		this.tasks.forEach((task) -> task.report(result, times));
		this.holderSection.report(result);
		result.put(times);
		result.put(Result.LEAST, this.tasks.stream().mapToLong(CycleThread::measured).min().orElse(0));
		result.put(Result.MOST, this.tasks.stream().mapToLong(CycleThread::measured).max().orElse(0));
	}

	/**
	 * Return how many cycles were measured so far.
	 */
	long progress() {
		return this.tasks.stream().mapToLong(CycleThread::measured).sum();
	}

	private long awaitThreads() throws InterruptedException {
		long until = System.nanoTime() + PATIENCE.toNanos();
		for (Thread thread : this.threads) {
			thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
		}
		return this.threads.stream().filter(Thread::isAlive).count();
	}

	/**
	 * Permits of one key, in place of whatever lock is asked for.
	 */
	private record Permits(LockAdapter adapter) implements LockAdapter {

		private static final int LIMIT = 5;

		@Override
		public Held lock(String key) throws InterruptedException {
			return this.adapter.permit("bench-permits", LIMIT);
		}

		@Override
		public void close() {
			this.adapter.close();
		}

	}

	/**
	 * Read locks, in place of whatever lock is asked for.
	 */
	private record ReadLocks(LockAdapter adapter) implements LockAdapter {

		@Override
		public Held lock(String key) throws InterruptedException {
			return new Shared(this.adapter.read(key));
		}

		@Override
		public void close() {
			this.adapter.close();
		}

	}

	/**
	 * Read locks, and one time in {@value #WRITES} a write lock.
	 */
	private record ReadWriteLocks(LockAdapter reads, LockAdapter writes) implements LockAdapter {

		private static final int WRITES = 20;

		@Override
		public Held lock(String key) throws InterruptedException {
			return (ThreadLocalRandom.current().nextInt(WRITES) == 0) ? this.writes.write(key) : this.reads.lock(key);
		}

		@Override
		public void close() {
			this.writes.close();
		}

	}

	private record Shared(Held held) implements Held {

		@Override
		public void unlock() {
			this.held.unlock();
		}

		@Override
		public long fencingToken() {
			return this.held.fencingToken();
		}

		@Override
		public boolean isShared() {
			return true;
		}

	}

}
