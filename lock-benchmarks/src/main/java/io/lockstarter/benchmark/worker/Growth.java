// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.contender.LockAdapter.Held;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.scenario.Work;
import org.jspecify.annotations.Nullable;

/**
 * Does something very often that should leave nothing behind, and looks what is there
 * before and after.
 */
final class Growth implements Task {

	private static final int BUSY_KEYS = 8;

	private static final int ASKED_AT_ONCE = 500;

	private static final int WARM_UP = 2000;

	// What is cleared away in the background has this time; threads end after 10 seconds
	// without work.
	private static final int LOOKS = 20;

	private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

	private final Assignment assignment;

	private final LockAdapter adapter;

	private final List<Held> heldByOther = new ArrayList<>();

	private final AtomicInteger done = new AtomicInteger();

	private @Nullable LiveHeap before;

	private int threadsBefore;

	private @Nullable LiveHeap after;

	private int threadsAfter;

	private long nanos;

	Growth(Assignment assignment, LockAdapter adapter) {
		this.assignment = assignment;
		this.adapter = adapter;
	}

	@Override
	public void prepare() throws InterruptedException {
		FirstLock.acquire(this.adapter, "bench-first").unlock();
		if (work() != Work.KEYS_ONCE) {
			LockAdapter other = this.assignment.contender().connect(this.assignment.target());
			for (int i = 0; i < BUSY_KEYS; i++) {
				this.heldByOther.add(FirstLock.acquire(other, busyKey(i)));
			}
		}
		repeat(WARM_UP, "warm-");
	}

	@Override
	public void start(Schedule schedule) throws InterruptedException {
		Thread.sleep(BETWEEN_LOOKS.toMillis());
		LiveHeap before = LiveHeap.look();
		this.before = before;
		this.threadsBefore = Thread.activeCount();
		Schedule.sleepUntil(schedule.from());
		long start = System.nanoTime();
		repeat(this.assignment.times(), "bench-");
		this.nanos = System.nanoTime() - start;
		this.after = lookUntilCalm(before);
	}

	@Override
	public void end(Result result) {
		Objects.requireNonNull(this.before).report(result, Result.EARLIER);
		Objects.requireNonNull(this.after).report(result, Result.LATER);
		result.put(Result.MORE_THREADS, this.threadsAfter - this.threadsBefore);
		result.put(Result.MEASURED, this.assignment.times());
		result.put(Result.MILLIS, Duration.ofNanos(this.nanos).toMillis());
		this.heldByOther.forEach(Held::unlock);
	}

	/**
	 * Look until there is no more than before, or for a while.
	 */
	private LiveHeap lookUntilCalm(LiveHeap atMost) throws InterruptedException {
		LiveHeap now = LiveHeap.look();
		for (int i = 1; i < LOOKS && !isCalm(now, atMost); i++) {
			Thread.sleep(BETWEEN_LOOKS.toMillis());
			now = LiveHeap.look();
		}
		this.threadsAfter = Thread.activeCount();
		return now;
	}

	private boolean isCalm(LiveHeap now, LiveHeap atMost) {
		return now.ourObjects() <= atMost.ourObjects() && now.lettuceObjects() <= atMost.lettuceObjects()
				&& Thread.activeCount() <= this.threadsBefore;
	}

	private void repeat(int times, String prefix) throws InterruptedException {
		this.done.set(0);
		if (work() == Work.CANCELLED) {
			askAndCancel(times, prefix);
			return;
		}
		List<CompletableFuture<Void>> ended = new ArrayList<>();
		for (int i = 0; i < this.assignment.scenario().load().threads(); i++) {
			CompletableFuture<Void> end = new CompletableFuture<>();
			ended.add(end);
			this.assignment.threads().start(() -> {
				try {
					work(times, prefix);
					end.complete(null);
				}
				catch (Throwable ex) {
					end.completeExceptionally(ex);
				}
			});
		}
		ended.forEach(CompletableFuture::join);
	}

	private void work(int times, String prefix) throws InterruptedException {
		for (int i = this.done.getAndIncrement(); i < times; i = this.done.getAndIncrement()) {
			if (work() == Work.KEYS_ONCE) {
				this.adapter.lock(prefix + i).unlock();
			}
			else if (this.adapter.tryOnce(busyKey(i))) {
				throw new IllegalStateException("A busy key was free");
			}
		}
	}

	/**
	 * Every other key is free, and now and then Redis has time to answer, so that some of
	 * these are given up when they are granted already.
	 */
	private void askAndCancel(int times, String prefix) throws InterruptedException {
		Queue<CompletableFuture<?>> asked = new ArrayDeque<>();
		for (int i = 0; i < times; i++) {
			asked.add(this.adapter.ask((i % 2 == 0) ? busyKey(i) : prefix + i));
			if (asked.size() == ASKED_AT_ONCE) {
				if (i / ASKED_AT_ONCE % 2 == 0) {
					this.adapter.lock(prefix + "pace").unlock();
				}
				cancelAll(asked);
			}
		}
		cancelAll(asked);
	}

	private static void cancelAll(Queue<CompletableFuture<?>> asked) {
		asked.forEach((request) -> request.cancel(true));
		asked.clear();
	}

	private Work work() {
		return this.assignment.scenario().load().work();
	}

	private static String busyKey(int number) {
		return "busy-" + number % BUSY_KEYS;
	}

}
