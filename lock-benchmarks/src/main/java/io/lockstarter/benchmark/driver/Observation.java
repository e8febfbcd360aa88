// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.driver.Observer.KeySample;
import io.lockstarter.benchmark.report.Metric;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.worker.Result;
import org.HdrHistogram.Histogram;

/**
 * What was observed in one measurement.
 *
 * @param scenario what was measured
 * @param schedule when
 * @param ttl how long a lock outlives its holder
 * @param results what each JVM says
 * @param before what the server had done when the measured time began
 * @param after what it had done when it ended
 * @param left what there is when all JVMs have ended
 * @param samples the keys in between
 * @param counter the counter in shared memory
 */
record Observation(Scenario scenario, Schedule schedule, Duration ttl, List<Result> results, ServerStats before,
		ServerStats after, ServerStats left, List<KeySample> samples, long counter) {

	private static final double NANOS_PER_MICRO = 1e3;

	private static final double BYTES_PER_KILOBYTE = 1e3;

	private static final double BYTES_PER_MEGABYTE = 1e6;

	private static final int RENEWALS_PER_TTL = 3;

	/**
	 * Return the figures.
	 * @param contender who was measured
	 * @return the figure of each metric that makes sense here
	 */
	Map<Metric, Double> metrics(Contender contender) {
		Map<Metric, Double> metrics = new EnumMap<>(Metric.class);
		addCpu(metrics);
		if (sum(Result.STUCK) > 0) {
			metrics.put(Metric.FAILED, 1.0);
			metrics.put(Metric.STUCK, (double) sum(Result.STUCK));
			return metrics;
		}
		switch (this.scenario.load().work()) {
			case HOLDING -> addHolding(metrics);
			case WAITING -> metrics.put(Metric.COMMANDS_PER_SECOND,
					this.after.commandsSince(this.before) / this.schedule.seconds());
			case PING_PONG, WAITING_TO_READ, READING_WITHOUT_END -> {
				addTimes(metrics);
				addPerCycle(metrics, sum(Result.MEASURED));
			}
			case CYCLES, PERMITS, READS, READS_AND_WRITES -> {
				addTimes(metrics);
				addCycles(metrics);
			}
			case SOAK -> {
				addPerCycle(metrics, sum(Result.MEASURED));
				addSoak(metrics);
				addLeftBehind(metrics);
			}
			case KEYS_ONCE, REFUSED, CANCELLED -> {
				addGrowth(metrics);
				addLeftBehind(metrics);
			}
			case COLD_START, START_UP -> throw new IllegalStateException("Not observed so");
		}
		metrics.put(Metric.SERVER_KEYS_FOR_EVER, (double) (this.left.keys() - this.left.expiring()));
		if (this.scenario.isContended() && Contender.locks().contains(contender)) {
			addExclusion(metrics);
		}
		return metrics;
	}

	private void addCpu(Map<Metric, Double> metrics) {
		metrics.put(Metric.CLIENT_CPU, 100 * sum(Result.CPU) / 1e9 / this.schedule.seconds());
		metrics.put(Metric.SERVER_CPU,
				100 * (this.after.cpuSeconds() - this.before.cpuSeconds()) / this.schedule.seconds());
	}

	private void addExclusion(Map<Metric, Double> metrics) {
		metrics.put(Metric.LOST_UPDATES, (double) sum(Result.SECTIONS) - this.counter);
		metrics.put(Metric.TOKEN_BREACHES, (double) sum(Result.TOKEN_BREACHES));
		metrics.put(Metric.SECTIONS_CHECKED, (double) sum(Result.SECTIONS));
	}

	private void addCycles(Map<Metric, Double> metrics) {
		long measured = sum(Result.MEASURED);
		metrics.put(Metric.CYCLES, measured / this.schedule.seconds());
		addPerCycle(metrics, measured);
		metrics.put(Metric.COMMANDS_PER_SECTION, ratio(this.after.commandsSince(this.before), measured));
		metrics.put(Metric.LEAST_THREAD,
				ratio(this.results.stream().mapToLong((result) -> result.get(Result.LEAST)).min().orElse(0),
						this.results.stream().mapToLong((result) -> result.get(Result.MOST)).max().orElse(0)));
		metrics.put(Metric.LEAST_JVM,
				ratio(this.results.stream().mapToLong((result) -> result.get(Result.MEASURED)).min().orElse(0),
						this.results.stream().mapToLong((result) -> result.get(Result.MEASURED)).max().orElse(0)));
	}

	private void addPerCycle(Map<Metric, Double> metrics, long measured) {
		if (measured > 0) {
			double serverCpu = this.after.cpuSeconds() - this.before.cpuSeconds();
			metrics.put(Metric.SERVER_CPU_PER_CYCLE, 1e6 * serverCpu / measured);
			metrics.put(Metric.CLIENT_CPU_PER_CYCLE, sum(Result.CPU) / NANOS_PER_MICRO / measured);
			metrics.put(Metric.ALLOCATED, ratio(sum(Result.ALLOCATED), measured));
		}
		if (!this.scenario.load().section().isZero()) {
			double sections = this.scenario.load().section().toNanos() / 1e9 * measured;
			metrics.put(Metric.IN_USE, 100 * sections / this.schedule.seconds());
		}
	}

	private void addTimes(Map<Metric, Double> metrics) {
		Histogram times = Result.histogram();
		this.results.forEach((result) -> times.add(result.times()));
		metrics.put(Metric.TIMES, (double) times.getTotalCount());
		metrics.put(Metric.P50, times.getValueAtPercentile(50) / NANOS_PER_MICRO);
		metrics.put(Metric.P99, times.getValueAtPercentile(99) / NANOS_PER_MICRO);
		metrics.put(Metric.MAX, times.getMaxValue() / NANOS_PER_MICRO);
	}

	private void addSoak(Map<Metric, Double> metrics) {
		double third = this.schedule.seconds() / 3;
		metrics.put(Metric.FIRST_THIRD, sum(Result.FIRST_THIRD) / third);
		metrics.put(Metric.LAST_THIRD, sum(Result.LAST_THIRD) / third);
		metrics.put(Metric.QUEUES, (double) sum(Result.LATER + Result.QUEUES));
		metrics.put(Metric.GC, sum(Result.GC_MILLIS) / 10.0 / this.schedule.seconds());
		metrics.put(Metric.HEAP_EARLIER, sum(Result.EARLIER + Result.BYTES) / BYTES_PER_MEGABYTE);
		metrics.put(Metric.HEAP_LATER, sum(Result.LATER + Result.BYTES) / BYTES_PER_MEGABYTE);
	}

	private void addGrowth(Map<Metric, Double> metrics) {
		// The time of the work alone, and not that of the warm-up and of the looks.
		metrics.remove(Metric.CLIENT_CPU);
		metrics.remove(Metric.SERVER_CPU);
		metrics.put(Metric.COUNT, (double) sum(Result.MEASURED));
		metrics.put(Metric.PER_SECOND, 1000 * ratio(sum(Result.MEASURED), sum(Result.MILLIS)));
		metrics.put(Metric.QUEUES, (double) more(Result.QUEUES));
		metrics.put(Metric.HEAP_MORE, more(Result.BYTES) / BYTES_PER_KILOBYTE);
		metrics.put(Metric.MORE_THREADS, (double) sum(Result.MORE_THREADS));
	}

	private void addLeftBehind(Map<Metric, Double> metrics) {
		metrics.put(Metric.OUR_OBJECTS, (double) more(Result.OUR_OBJECTS));
		metrics.put(Metric.LETTUCE_OBJECTS, (double) more(Result.LETTUCE_OBJECTS));
		metrics.put(Metric.SERVER_KEYS, (double) this.left.keys());
		metrics.put(Metric.SERVER_KEYS_EXPIRE,
				Math.max(0, this.samples.stream().mapToLong(KeySample::highestMillis).max().orElse(0)) / 1e3);
		metrics.put(Metric.SERVER_MEMORY,
				Math.max(0, this.left.usedMemory() - this.before.usedMemory()) / BYTES_PER_MEGABYTE);
	}

	private long more(String name) {
		return sum(Result.LATER + name) - sum(Result.EARLIER + name);
	}

	private void addHolding(Map<Metric, Double> metrics) {
		double intervals = this.schedule.seconds() / (this.ttl.toMillis() / 1e3 / RENEWALS_PER_TTL);
		double renewals = (this.after.scriptsSince(this.before) - this.samples.size()) / intervals;
		metrics.put(Metric.RENEWALS, renewals);
		metrics.put(Metric.LEASES_PER_RENEWAL, sum(Result.MEASURED) / renewals);
		metrics.put(Metric.LOWEST_TTL, this.samples.stream().mapToLong(KeySample::lowestMillis).min().orElse(-1) / 1e3);
		metrics.put(Metric.LATE, (double) this.samples.stream().mapToLong(KeySample::low).max().orElse(0));
		long most = this.samples.stream().mapToLong(KeySample::keys).max().orElse(0);
		long least = this.samples.stream().mapToLong(KeySample::keys).min().orElse(0);
		metrics.put(Metric.VANISHED, (double) (most - least));
	}

	private long sum(String name) {
		return this.results.stream().mapToLong((result) -> result.get(name)).sum();
	}

	private static double ratio(long part, long whole) {
		return (whole == 0) ? 0 : (double) part / whole;
	}

}
