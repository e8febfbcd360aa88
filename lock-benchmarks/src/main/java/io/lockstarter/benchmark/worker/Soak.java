// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Objects;

import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.scenario.ThreadKind;
import org.jspecify.annotations.Nullable;

/**
 * {@link Cycles} for minutes, in a JVM with little memory. Who keeps something of every
 * cycle is slower in the last third than in the first, has more alive in the heap, or
 * runs out of memory.
 */
final class Soak implements Task {

	private final Cycles cycles;

	private final Result thirds = new Result();

	private @Nullable Thread watcher;

	Soak(Cycles cycles) {
		this.cycles = cycles;
	}

	@Override
	public void prepare() throws InterruptedException {
		this.cycles.prepare();
	}

	@Override
	public void start(Schedule schedule) throws InterruptedException {
		this.cycles.start(schedule);
		this.watcher = ThreadKind.PLATFORM.start(() -> watch(schedule));
	}

	@Override
	public void end(Result result) throws InterruptedException {
		Objects.requireNonNull(this.watcher).join();
		this.cycles.end(result);
		LiveHeap.look().report(result, Result.LATER);
		this.thirds.copyTo(result);
	}

	private void watch(Schedule schedule) {
		long third = (schedule.until() - schedule.from()) / 3;
		Schedule.sleepUntil(schedule.from());
		long gcBefore = gcMillis();
		Schedule.sleepUntil(schedule.from() + third);
		this.thirds.put(Result.FIRST_THIRD, this.cycles.progress());
		long gcOfOurs = gcMillis();
		LiveHeap.look().report(this.thirds, Result.EARLIER);
		gcOfOurs = gcMillis() - gcOfOurs;
		Schedule.sleepUntil(schedule.until() - third);
		long before = this.cycles.progress();
		Schedule.sleepUntil(schedule.until());
		this.thirds.put(Result.LAST_THIRD, this.cycles.progress() - before);
		this.thirds.put(Result.GC_MILLIS, gcMillis() - gcBefore - gcOfOurs);
	}

	private static long gcMillis() {
		return ManagementFactory.getGarbageCollectorMXBeans()
			.stream()
			.mapToLong(GarbageCollectorMXBean::getCollectionTime)
			.sum();
	}

}
