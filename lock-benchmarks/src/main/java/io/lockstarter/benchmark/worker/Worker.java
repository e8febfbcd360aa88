// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

import io.lockstarter.benchmark.contender.LockAdapter;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.scenario.ThreadKind;

/**
 * The main program of a measured JVM. Says {@link #READY} when it is connected, reads a
 * line with the {@link Schedule}, works, stores its result and ends.
 */
public final class Worker {

	/**
	 * The line that says that the schedule may come.
	 */
	public static final String READY = "READY";

	private final Assignment assignment;

	private Worker(Assignment assignment) {
		this.assignment = assignment;
	}

	/**
	 * Run.
	 * @param assignment what to do
	 * @throws IOException if the driver is gone
	 * @throws InterruptedException if interrupted
	 */
	// The driver is the only reader of the standard output.
	@SuppressWarnings("SystemOut")
	public static void run(Assignment assignment) throws IOException, InterruptedException {
		BufferedReader driver = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		LockAdapter adapter = assignment.contender().connect(assignment.target());
		Worker worker = new Worker(assignment);
		Task task = worker.task(adapter);
		task.prepare();
		System.out.println(READY);
		Schedule schedule = Schedule.parse(driver.readLine());
		endWith(driver);
		worker.run(task, schedule).store(assignment.resultFile());
		// Whatever waits or renews in there is of no interest any more.
		System.exit(0);
	}

	private Task task(LockAdapter adapter) {
		SharedMemory memory = SharedMemory.map(this.assignment.sharedFile());
		return switch (this.assignment.scenario().load().work()) {
			case CYCLES, PERMITS, READS, READS_AND_WRITES, WAITING -> new Cycles(this.assignment, adapter, memory);
			case PING_PONG -> new PingPong(this.assignment.jvm(), adapter, memory);
			case WAITING_TO_READ, READING_WITHOUT_END -> new Readers(this.assignment, adapter, memory);
			case SOAK -> new Soak(new Cycles(this.assignment, adapter, memory));
			case KEYS_ONCE, REFUSED, CANCELLED -> new Growth(this.assignment, adapter);
			case COLD_START, START_UP -> throw new IllegalArgumentException("Not the work of such a JVM");
			case HOLDING -> new Holding(adapter, this.assignment.scenario().load().threads());
		};
	}

	private Result run(Task task, Schedule schedule) throws InterruptedException {
		Result result = new Result();
		Meter meter = new Meter(schedule);
		Thread metering = ThreadKind.PLATFORM.start(meter);
		task.start(schedule);
		metering.join();
		task.end(result);
		meter.report(result);
		return result;
	}

	// A driver that was killed leaves no workers behind.
	private static void endWith(BufferedReader driver) {
		ThreadKind.PLATFORM.start(() -> {
			try {
				driver.readLine();
			}
			catch (IOException ex) {
				// Gone as well.
			}
			Runtime.getRuntime().halt(1);
		});
	}

}
