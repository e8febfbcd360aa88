// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.lockstarter.benchmark.contender.Target;
import io.lockstarter.benchmark.contender.Topology;
import io.lockstarter.benchmark.driver.Observer.KeySample;
import io.lockstarter.benchmark.report.Rounds.Case;
import io.lockstarter.benchmark.scenario.Assignment;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.Schedule;
import io.lockstarter.benchmark.scenario.Work;
import io.lockstarter.benchmark.worker.Result;
import io.lockstarter.benchmark.worker.SharedMemory;

/**
 * One contender in one round of one scenario: on a server of its own, in new JVMs.
 */
final class Measurement {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final Duration PATIENCE_TO_COUNT = Duration.ofMinutes(15);

	private static final Duration LOOK_EVERY = Duration.ofMillis(500);

	private static final int SAMPLES_PER_TTL = 15;

	private final Case subject;

	private final Scenario scenario;

	private final Options options;

	private final Jdk jdk;

	private final Path directory;

	Measurement(Case subject, Options options, Jdk jdk, Path directory) {
		this.subject = subject;
		this.scenario = subject.scenario();
		this.options = options;
		this.jdk = jdk;
		this.directory = directory;
	}

	/**
	 * Measure.
	 * @return what was observed
	 * @throws InterruptedException if interrupted
	 */
	Observation run() throws InterruptedException {
		List<WorkerProcess> workers = new ArrayList<>();
		Topology topology = this.scenario.topology(this.subject.contender());
		try (RedisServers redis = RedisServers.start(topology, this.directory);
				Observer observer = new Observer(observed(redis))) {
			Target target = new Target(topology, redis.ports(), this.options.ttl());
			IntStream.range(0, this.scenario.load().jvms()).forEach((jvm) -> workers.add(start(jvm, target)));
			workers.forEach((worker) -> worker.awaitReady(PATIENCE));
			return measure(workers, redis, observer);
		}
		finally {
			workers.forEach(WorkerProcess::close);
		}
	}

	private WorkerProcess start(int jvm, Target target) {
		Assignment assignment = new Assignment(this.scenario, this.subject.contender(), this.subject.threads(), target,
				jvm, this.options.times(this.scenario), this.directory);
		return WorkerProcess.start(assignment, this.jdk, this.options.jvmArguments());
	}

	// The one that is to be down does not answer then, and uses no time.
	private List<Integer> observed(RedisServers redis) {
		return isOneDown() ? redis.ports().stream().skip(1).toList() : redis.ports();
	}

	private boolean isOneDown() {
		return this.scenario == Scenario.QUORUM_FROZEN || this.scenario == Scenario.QUORUM_KILLED;
	}

	private void takeOneDown(RedisServers redis) throws InterruptedException {
		if (this.scenario == Scenario.QUORUM_FROZEN) {
			redis.first().freeze();
		}
		else if (this.scenario == Scenario.QUORUM_KILLED) {
			redis.first().close();
		}
	}

	private Observation measure(List<WorkerProcess> workers, RedisServers redis, Observer observer)
			throws InterruptedException {
		SharedMemory memory = SharedMemory.map(this.directory.resolve("shared"));
		Schedule schedule = Schedule.of(this.options.warmup(this.scenario), measureTime());
		workers.forEach((worker) -> worker.send(schedule));
		Schedule.sleepUntil(schedule.from());
		takeOneDown(redis);
		ServerStats before = observer.stats();
		List<KeySample> samples = sample(observer, schedule);
		sleepUntilOver(schedule, workers);
		ServerStats after = observer.stats();
		List<Result> results = new ArrayList<>();
		for (WorkerProcess worker : workers) {
			results.add(worker.awaitResult(isCounted() ? PATIENCE_TO_COUNT : PATIENCE));
		}
		// Nobody is connected any more, and nothing under way.
		ServerStats left = observer.stats();
		if (isCounted() || this.scenario.load().work() == Work.SOAK) {
			samples = List.of(observer.sample(0));
		}
		return new Observation(this.scenario, schedule, this.options.ttl(), results, before, after, left, samples,
				memory.counter());
	}

	// A JVM that has ended early tells why.
	private static void sleepUntilOver(Schedule schedule, List<WorkerProcess> workers) {
		while (!schedule.isOver() && workers.stream().allMatch(WorkerProcess::isAlive)) {
			Schedule.sleepUntil(Math.min(schedule.until(), System.nanoTime() + LOOK_EVERY.toNanos()));
		}
	}

	private boolean isCounted() {
		return this.scenario.load().work().isCounted();
	}

	private Duration measureTime() {
		if (isCounted()) {
			return Duration.ZERO;
		}
		Duration minimum = this.scenario.minimum(this.options.ttl());
		return (minimum.compareTo(this.options.measure()) > 0) ? minimum : this.options.measure();
	}

	private List<KeySample> sample(Observer observer, Schedule schedule) {
		List<KeySample> samples = new ArrayList<>();
		if (this.scenario.load().work() == Work.HOLDING) {
			long period = this.options.ttl().toNanos() / SAMPLES_PER_TTL;
			for (long next = schedule.from() + period; next - schedule.until() < 0; next += period) {
				Schedule.sleepUntil(next);
				samples.add(observer.sample(this.options.ttl().toMillis() / 2));
			}
		}
		return samples;
	}

}
