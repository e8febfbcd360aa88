// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.lockstarter.benchmark.scenario.Schedule;

/**
 * Reads off what this JVM uses in the measured time.
 */
final class Meter implements Runnable {

	private static final int PART_LEFT_OUT = 20;

	private final Schedule schedule;

	private long cpu;

	private long allocated;

	Meter(Schedule schedule) {
		this.schedule = schedule;
	}

	@Override
	public void run() {
		Schedule.sleepUntil(this.schedule.from());
		long cpuBefore = cpuTime();
		Map<Long, Long> allocatedBefore = allocatedBytes();
		// Before the threads end, as nobody knows afterwards.
		long length = this.schedule.until() - this.schedule.from();
		Schedule.sleepUntil(this.schedule.until() - length / PART_LEFT_OUT);
		allocatedBytes().forEach((thread, bytes) -> this.allocated += bytes - allocatedBefore.getOrDefault(thread, 0L));
		this.allocated = this.allocated * PART_LEFT_OUT / (PART_LEFT_OUT - 1);
		Schedule.sleepUntil(this.schedule.until());
		this.cpu = cpuTime() - cpuBefore;
	}

	/**
	 * Add to the result, after {@link #run()}.
	 */
	void report(Result result) {
		result.put(Result.CPU, this.cpu);
		result.put(Result.ALLOCATED, this.allocated);
	}

	private static long cpuTime() {
		return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
	}

	private static Map<Long, Long> allocatedBytes() {
		ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
		long[] ids = threads.getAllThreadIds();
		long[] bytes = threads.getThreadAllocatedBytes(ids);
		Map<Long, Long> allocated = new HashMap<>();
		for (int i = 0; i < ids.length; i++) {
			allocated.put(ids[i], Math.max(0, bytes[i]));
		}
		return allocated;
	}

}
