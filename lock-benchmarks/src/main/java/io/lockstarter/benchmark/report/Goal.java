// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Rounds.Case;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;
import org.jspecify.annotations.Nullable;

/**
 * What lock-starter is to reach.
 *
 * @param scenario where
 * @param text what
 * @param bound the goal
 * @param atLeast whether more is better
 * @param value what was reached; empty if it was not measured
 * @param instead another goal that will do if this one is missed
 */
record Goal(String scenario, String text, double bound, boolean atLeast, OptionalDouble value, @Nullable Goal instead) {

	private static final Set<Contender> PEERS = EnumSet.range(Contender.REDISSON, Contender.TEXTBOOK);

	private static final Set<Contender> WITH_ANNOTATION = EnumSet.of(Contender.SHEDLOCK, Contender.LOCK4J);

	static List<Goal> all(Results results) {
		Figures figures = new Figures(results);
		return Stream
			.of(uncontended(figures), contended(figures), quiet(figures), steady(figures), clustered(figures),
					voted(figures), everywhere(results))
			.flatMap(List::stream)
			.toList();
	}

	private static List<Goal> uncontended(Figures figures) {
		return List.of(atLeast("solo", "× the limit of two PINGs", 0.9, figures.ofLimit(Contender.STARTER)),
				atLeast("solo, async release", "× the limit of two PINGs", 1.5,
						figures.ofLimit(Contender.STARTER_ASYNC)),
				atLeast("spread", "× the textbook lock", 0.95, figures.ofTextbook(Scenario.SPREAD, Metric.CYCLES)),
				atMost("spread", "Redis CPU a cycle ÷ that of the textbook lock", 1.1,
						figures.ofTextbook(Scenario.SPREAD, Metric.SERVER_CPU_PER_CYCLE)),
				atMost("spread", "JVM CPU a cycle ÷ that of the textbook lock", 1.1,
						figures.ofTextbook(Scenario.SPREAD, Metric.CLIENT_CPU_PER_CYCLE)),
				atLeast("spread, with metrics", "× without", 0.95, figures.withMetrics()),
				atLeast("spread, 256 virtual threads", "× as many platform threads", 1, figures.virtual()));
	}

	private static List<Goal> contended(Figures figures) {
		return List.of(
				atLeast("hot", "least/most served thread", 0.99, figures.ours(Scenario.HOT, Metric.LEAST_THREAD)),
				either(atLeast("hot, 4 JVMs", "× the best peer", 3.5, figures.times(Scenario.HOT_JVMS, PEERS)),
						atLeast("hot, 4 JVMs", "in use, % of the time", 75,
								figures.ours(Scenario.HOT_JVMS, Metric.IN_USE))),
				atMost("hot, 4 JVMs", "p99 wait ÷ that of the best peer", 1,
						figures.ofSmallest(Scenario.HOT_JVMS, Metric.P99)),
				atLeast("hot, 4 JVMs", "least/most served JVM", 0.7, figures.ours(Scenario.HOT_JVMS, Metric.LEAST_JVM)),
				atMost("hot, 4 JVMs", "Redis commands per section", 1,
						figures.ours(Scenario.HOT_JVMS, Metric.COMMANDS_PER_SECTION)));
	}

	private static List<Goal> quiet(Figures figures) {
		return List.of(
				atMost("hand-over", "p50 ÷ that of the best peer", 1,
						figures.ofSmallest(Scenario.HAND_OVER, Metric.P50)),
				atMost("hand-over", "p99 ÷ that of the best peer", 1,
						figures.ofSmallest(Scenario.HAND_OVER, Metric.P99)),
				atMost("hand-over", "p99 ÷ p50", 3, figures.tail()),
				atMost("waiting", "Redis commands/s", 2, figures.ours(Scenario.WAITING, Metric.COMMANDS_PER_SECOND)),
				atLeast("holding", "leases per renewal command", 500,
						figures.ours(Scenario.HOLDING, Metric.LEASES_PER_RENEWAL)),
				atMost("holding", "leases renewed late", 0, figures.ours(Scenario.HOLDING, Metric.LATE)));
	}

	private static List<Goal> steady(Figures figures) {
		return List.of(
				atLeast("soak", "last third × that of the textbook lock", 0.95,
						figures.ofTextbook(Scenario.SOAK, Metric.LAST_THIRD)),
				atMost("soak", "live heap, MB", 40, figures.ours(Scenario.SOAK, Metric.HEAP_LATER)),
				atMost("soak", "live heap in the end ÷ after a third", 1.1, figures.growth()),
				atMost("soak", "runs that failed", 0, figures.failed(Scenario.SOAK)),
				atMost("cold start", "first locks that failed", 0,
						figures.ours(Scenario.COLD_START, Metric.FIRST_LOCKS_FAILED)),
				atMost("cold start", "longest ÷ that of the textbook lock", 1.33,
						figures.ofTextbook(Scenario.COLD_START, Metric.FIRST_LOCK_LONGEST)),
				atMost("growth, a million keys", "live heap more, kB", 1000,
						figures.ours(Scenario.GROWTH_KEYS, Metric.HEAP_MORE)),
				atMost("growth, refused tries", "live heap more, kB", 1000,
						figures.ours(Scenario.GROWTH_REFUSED, Metric.HEAP_MORE)),
				atMost("growth, cancelled requests", "live heap more, kB", 1000,
						figures.ours(Scenario.GROWTH_CANCELLED, Metric.HEAP_MORE)),
				atMost("growth", "local queues left", 0, figures.most(Scenario.GROWTH, Metric.QUEUES)),
				atMost("growth", "threads left", 0, figures.most(Scenario.GROWTH, Metric.MORE_THREADS)),
				atMost("growth", "keys in Redis without expiry", 0,
						figures.most(Scenario.GROWTH, Metric.SERVER_KEYS_FOR_EVER)),
				atMost("start-up", "ms added", 50, figures.ours(Scenario.START_UP, Metric.ADDED)),
				atMost("start-up", "CPU added with a first lock ÷ that of the lightest peer with an annotation", 1,
						figures.ofLightest(Metric.CPU_ADDED)),
				atMost("start-up", "CPU added until it has started ÷ that of the lightest peer with an annotation", 1,
						figures.ofLightest(Metric.START_CPU_ADDED)));
	}

	private static List<Goal> clustered(Figures figures) {
		return List.of(
				atLeast("cluster, spread", "× Redisson", 1, figures.ofRedisson(Scenario.SPREAD_CLUSTER, Metric.CYCLES)),
				atMost("cluster, spread", "Redis CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.SPREAD_CLUSTER, Metric.SERVER_CPU_PER_CYCLE)),
				atMost("cluster, spread", "JVM CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.SPREAD_CLUSTER, Metric.CLIENT_CPU_PER_CYCLE)),
				atLeast("cluster, hot, 4 JVMs", "× Redisson", 1,
						figures.ofRedisson(Scenario.HOT_JVMS_CLUSTER, Metric.CYCLES)),
				atMost("cluster, hot, 4 JVMs", "p99 wait ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HOT_JVMS_CLUSTER, Metric.P99)),
				atMost("cluster, hot, 4 JVMs", "Redis CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HOT_JVMS_CLUSTER, Metric.SERVER_CPU_PER_CYCLE)),
				atMost("cluster, hot, 4 JVMs", "JVM CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HOT_JVMS_CLUSTER, Metric.CLIENT_CPU_PER_CYCLE)),
				atMost("cluster, hand-over", "p99 ÷ that with one server", 2,
						figures.ofOneServer(Scenario.HAND_OVER_CLUSTER, Metric.P99)),
				atMost("cluster, hand-over", "p50 ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HAND_OVER_CLUSTER, Metric.P50)),
				atMost("cluster, hand-over", "p99 ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HAND_OVER_CLUSTER, Metric.P99)),
				atMost("cluster, hand-over", "Redis CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HAND_OVER_CLUSTER, Metric.SERVER_CPU_PER_CYCLE)),
				atMost("cluster, hand-over", "JVM CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedisson(Scenario.HAND_OVER_CLUSTER, Metric.CLIENT_CPU_PER_CYCLE)),
				atMost("cluster", "keys in Redis without expiry", 0,
						figures.most(Scenario.IN_CLUSTER, Metric.SERVER_KEYS_FOR_EVER)));
	}

	private static List<Goal> voted(Figures figures) {
		return List.of(
				atMost("quorum, solo", "p50 ÷ that of Redisson", 1,
						figures.ofRedLock(Scenario.QUORUM_SOLO, Metric.P50)),
				atMost("quorum, solo", "p50 ÷ that with one server", 2,
						figures.ofOneServer(Scenario.QUORUM_SOLO, Metric.P50)),
				atLeast("quorum, spread", "× Redisson", 1, figures.ofRedLock(Scenario.QUORUM_SPREAD, Metric.CYCLES)),
				atMost("quorum, spread", "Redis CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedLock(Scenario.QUORUM_SPREAD, Metric.SERVER_CPU_PER_CYCLE)),
				atMost("quorum, spread", "JVM CPU a cycle ÷ that of Redisson", 1,
						figures.ofRedLock(Scenario.QUORUM_SPREAD, Metric.CLIENT_CPU_PER_CYCLE)),
				atMost("quorum, hand-over", "p50 ÷ that of Redisson", 1,
						figures.ofRedLock(Scenario.QUORUM_HAND_OVER, Metric.P50)),
				atMost("quorum, hand-over", "p99 ÷ that of Redisson", 1,
						figures.ofRedLock(Scenario.QUORUM_HAND_OVER, Metric.P99)),
				atMost("quorum, one frozen", "p50 ÷ that with all three", 1.2,
						figures.ofHealthy(Scenario.QUORUM_FROZEN)),
				atMost("quorum, one killed", "p50 ÷ that with all three", 1.2,
						figures.ofHealthy(Scenario.QUORUM_KILLED)),
				atMost("quorum", "keys in Redis without expiry", 0,
						figures.most(Scenario.IN_QUORUM, Metric.SERVER_KEYS_FOR_EVER)));
	}

	private static List<Goal> everywhere(Results results) {
		return List.of(
				atMost("a bare annotated call", "ns over a plain proxy call", 1000,
						results.micro().difference("AspectBenchmark.fixedKey", "AspectBenchmark.plainProxy")),
				atMost("a lock and its release, with metrics", "ns more", 300,
						results.micro().difference("QueueBenchmark.freeWithMetrics", "QueueBenchmark.free")),
				atMost("all contended scenarios", "lost updates", 0,
						results.total(Contender.ours(), Metric.LOST_UPDATES)),
				atMost("all contended scenarios", "fencing tokens that did not grow", 0,
						results.total(Contender.ours(), Metric.TOKEN_BREACHES)));
	}

	boolean isMet() {
		double reached = this.value.orElseThrow();
		boolean met = this.atLeast ? reached >= this.bound : reached <= this.bound;
		return met || (this.instead != null && this.instead.value.isPresent() && this.instead.isMet());
	}

	String measure() {
		return (this.instead != null) ? this.text + ", or " + this.instead.measure() : this.text;
	}

	String goal() {
		String goal = (this.atLeast ? "≥ " : "≤ ") + number(this.bound);
		return (this.instead != null) ? goal + " or " + this.instead.goal() : goal;
	}

	String reached() {
		String reached = this.value.isPresent() ? number(this.value.getAsDouble()) : "–";
		return (this.instead != null) ? reached + " and " + this.instead.reached() : reached;
	}

	String verdict() {
		if (this.value.isEmpty()) {
			return "not measured";
		}
		if (isMet()) {
			return "met";
		}
		double reached = this.value.getAsDouble();
		if (this.bound == 0) {
			return "**missed**";
		}
		return String.format(Locale.ROOT, "**missed** by %.0f %%", 100 * Math.abs(reached / this.bound - 1));
	}

	private static Goal atLeast(String scenario, String text, double bound, OptionalDouble value) {
		return new Goal(scenario, text, bound, true, value, null);
	}

	private static Goal atMost(String scenario, String text, double bound, OptionalDouble value) {
		return new Goal(scenario, text, bound, false, value, null);
	}

	private static Goal either(Goal goal, Goal instead) {
		return new Goal(goal.scenario, goal.text, goal.bound, goal.atLeast, goal.value, instead);
	}

	private static String number(double value) {
		return String.format(Locale.ROOT, (Math.abs(value) >= 100 || value == Math.rint(value)) ? "%,.0f" : "%,.2f",
				value);
	}

	/**
	 * Where the figures come from.
	 */
	private record Figures(Results results) {

		OptionalDouble ours(Scenario scenario, Metric metric) {
			return this.results.get(scenario, Contender.STARTER, metric);
		}

		OptionalDouble ofLimit(Contender contender) {
			return ratio(this.results.get(Scenario.SOLO, contender, Metric.CYCLES),
					this.results.get(Scenario.SOLO, Contender.TWO_PINGS, Metric.CYCLES));
		}

		OptionalDouble times(Scenario scenario, Set<Contender> who) {
			return ratio(ours(scenario, Metric.CYCLES), this.results.largest(scenario, who, Metric.CYCLES));
		}

		OptionalDouble ofTextbook(Scenario scenario, Metric metric) {
			return ratio(ours(scenario, metric), this.results.get(scenario, Contender.TEXTBOOK, metric));
		}

		OptionalDouble ofRedisson(Scenario scenario, Metric metric) {
			return ratio(ours(scenario, metric), this.results.get(scenario, Contender.REDISSON, metric));
		}

		OptionalDouble ofRedLock(Scenario scenario, Metric metric) {
			return ratio(ours(scenario, metric), this.results.get(scenario, Contender.REDISSON_RED, metric));
		}

		OptionalDouble ofOneServer(Scenario scenario, Metric metric) {
			return ratio(ours(scenario, metric), this.results.get(scenario, Contender.STARTER_SINGLE, metric));
		}

		OptionalDouble ofHealthy(Scenario down) {
			return ratio(ours(down, Metric.P50), ours(Scenario.QUORUM_SOLO, Metric.P50));
		}

		OptionalDouble ofSmallest(Scenario scenario, Metric metric) {
			return ratio(ours(scenario, metric), this.results.smallest(scenario, PEERS, metric));
		}

		OptionalDouble ofLightest(Metric metric) {
			return ratio(ours(Scenario.START_UP, metric),
					this.results.smallest(Scenario.START_UP, WITH_ANNOTATION, metric));
		}

		OptionalDouble most(Set<Scenario> scenarios, Metric metric) {
			return scenarios.stream()
				.map((scenario) -> ours(scenario, metric))
				.flatMapToDouble(OptionalDouble::stream)
				.max();
		}

		OptionalDouble growth() {
			return ratio(ours(Scenario.SOAK, Metric.HEAP_LATER), ours(Scenario.SOAK, Metric.HEAP_EARLIER));
		}

		OptionalDouble failed(Scenario scenario) {
			OptionalDouble failed = ours(scenario, Metric.FAILED);
			boolean measured = this.results.of(scenario).cases().stream().anyMatch((one) -> one.contender().isOurs());
			return (failed.isEmpty() && measured) ? OptionalDouble.of(0) : failed;
		}

		OptionalDouble tail() {
			return ratio(ours(Scenario.HAND_OVER, Metric.P99), ours(Scenario.HAND_OVER, Metric.P50));
		}

		OptionalDouble withMetrics() {
			return ratio(this.results.get(Scenario.SPREAD, Contender.STARTER_METRICS, Metric.CYCLES),
					ours(Scenario.SPREAD, Metric.CYCLES));
		}

		OptionalDouble virtual() {
			Case virtual = new Case(Scenario.SPREAD_VIRTUAL, Contender.STARTER, ThreadKind.VIRTUAL);
			return ratio(this.results.of(Scenario.SPREAD_VIRTUAL).get(virtual, Metric.CYCLES),
					ours(Scenario.SPREAD_VIRTUAL, Metric.CYCLES));
		}

		private static OptionalDouble ratio(OptionalDouble one, OptionalDouble other) {
			return (one.isPresent() && other.isPresent()) ? OptionalDouble.of(one.getAsDouble() / other.getAsDouble())
					: OptionalDouble.empty();
		}

	}

}
