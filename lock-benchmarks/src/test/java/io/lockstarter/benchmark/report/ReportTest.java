// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Rounds.Case;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Report}.
 */
class ReportTest {

	@TempDir
	Path results;

	@TempDir
	Path docs;

	@Test
	void figuresOfTheRounds() throws IOException {
		Rounds rounds = new Rounds();
		rounds.fact("cores", "2");
		for (int round = 1; round <= 3; round++) {
			rounds.add(solo(Contender.STARTER), round, Metric.CYCLES, 9000 + round);
			rounds.add(solo(Contender.STARTER), round, Metric.CLIENT_CPU_PER_CYCLE, 60 + round);
			rounds.add(solo(Contender.TWO_PINGS), round, Metric.CYCLES, 12000 + round);
		}
		rounds.store(this.results.resolve("solo.csv"));
		Files.write(this.results.resolve(MicroResults.FILE),
				List.of("\"Benchmark\",\"Mode\"",
						"\"a.AspectBenchmark.plainProxy\",\"avgt\",1,15,10.000000,1.000000,\"ns/op\"",
						"\"a.AspectBenchmark.fixedKey\",\"avgt\",1,15,310.000000,2.000000,\"ns/op\""));
		Report.write(this.results, this.docs);
		String text = Files.readString(this.docs.resolve("benchmarks.md"));
		assertThat(text).doesNotContain("{{")
			.contains("2 cores", "| lock-starter | 9,002 | – | 62.0 | – | – | – | 1.00 |",
					"| limit: two PINGs | 12,002 | – | – | – | – | – | 0.75 |")
			.contains("| solo | × the limit of two PINGs | ≥ 0.90 | 0.75 | **missed** by 17 % |")
			.contains("* solo: × the limit of two PINGs is 0.75, the goal is ≥ 0.90.")
			.contains("| a bare annotated call | ns over a plain proxy call | ≤ 1,000 | 300 | met |")
			.contains(Report.NOT_MEASURED);
		assertThat(Files.readString(this.docs.resolve("benchmarks/solo-cycles.svg"))).contains("<svg", "lock-starter",
				"12,002");
	}

	@Test
	void oneOfTwoGoalsWillDo() {
		Rounds rounds = new Rounds();
		rounds.add(hotJvms(Contender.STARTER), 1, Metric.CYCLES, 8000);
		rounds.add(hotJvms(Contender.STARTER), 1, Metric.IN_USE, 80);
		rounds.add(hotJvms(Contender.TEXTBOOK), 1, Metric.CYCLES, 4000);
		rounds.store(this.results.resolve("hot-jvms.csv"));
		assertThat(Goal.all(Results.load(this.results))).filteredOn((goal) -> goal.instead() != null)
			.singleElement()
			.satisfies((goal) -> {
				assertThat(goal.isMet()).isTrue();
				assertThat(goal.measure()).isEqualTo("× the best peer, or in use, % of the time");
				assertThat(goal.goal()).isEqualTo("≥ 3.50 or ≥ 75");
				assertThat(goal.reached()).isEqualTo("2 and 80");
			});
	}

	@Test
	void runOutOfMemoryIsMissedAndAStartIsCompared() throws IOException {
		Rounds soak = new Rounds();
		soak.fact("measure", "300");
		soak.add(platform(Scenario.SOAK, Contender.STARTER), 1, Metric.FAILED, 1);
		soak.add(platform(Scenario.SOAK, Contender.TEXTBOOK), 1, Metric.LAST_THIRD, 30_000);
		soak.store(this.results.resolve("soak.csv"));
		Rounds start = new Rounds();
		start.add(platform(Scenario.START_UP, Contender.STARTER), 1, Metric.START, 900);
		start.add(platform(Scenario.START_UP, Contender.STARTER), 1, Metric.START_WITH_STARTER, 940);
		start.add(platform(Scenario.START_UP, Contender.STARTER), 1, Metric.ADDED, 40);
		start.add(platform(Scenario.START_UP, Contender.STARTER), 1, Metric.CPU_ADDED, 90);
		start.add(platform(Scenario.START_UP, Contender.STARTER), 1, Metric.START_MAIN_CPU_ADDED, 12);
		start.add(platform(Scenario.START_UP, Contender.SHEDLOCK), 1, Metric.CPU_ADDED, 60);
		start.add(platform(Scenario.START_UP, Contender.LOCK4J), 1, Metric.CPU_ADDED, 80);
		start.store(this.results.resolve("start-up.csv"));
		Report.write(this.results, this.docs);
		assertThat(Files.readString(this.docs.resolve("benchmarks.md"))).contains("Each is measured for 300 s.")
			.contains("| soak | runs that failed | ≤ 0 | 1 | **missed** |")
			.contains("| lock-starter | failed |", "| textbook lock, 1 ms poll | 30,000 |")
			.contains("| start-up | ms added | ≤ 50 | 40 | met |",
					"| lock-starter | 90 | – | 12 | 40 | 900 | 940 | – | – | – | – | – | – | 1.00 |\n",
					"lightest peer with an annotation | ≤ 1 | 1.50 | **missed** by 50 % |");
	}

	@Test
	void clusterBesideOneServerAndRedisson() throws IOException {
		Rounds rounds = new Rounds();
		rounds.fact("rounds", "3");
		rounds.fact("measure", "6");
		for (int round = 1; round <= 3; round++) {
			handOverInCluster(rounds, round, Contender.STARTER, 2000 + round);
			handOverInCluster(rounds, round, Contender.STARTER_SINGLE, 1600 + round);
			handOverInCluster(rounds, round, Contender.REDISSON, 1000 + round);
		}
		rounds.store(this.results.resolve("hand-over-cluster.csv"));
		Report.write(this.results, this.docs);
		assertThat(Files.readString(this.docs.resolve("benchmarks.md"))).contains("Rounds: 3", "measured for 6 s")
			.contains("| lock-starter | 1,001 | 2,002 | – | – | 50.0 | – | – | – | 1.00 |",
					"| lock-starter, one server | 801 | 1,602 | – | – | 50.0 | – | – | – | 0.80 |",
					"| Redisson lock | 501 | 1,002 | – | – | 50.0 | – | – | – | 0.50 |")
			.contains("| cluster, hand-over | p99 ÷ that with one server | ≤ 2 | 1.25 | met |",
					"| cluster, hand-over | p99 ÷ that of Redisson | ≤ 1 | 2.00 | **missed** by 100 % |",
					"| cluster, hand-over | Redis CPU a cycle ÷ that of Redisson | ≤ 1 | 1 | met |",
					"| cluster, spread | × Redisson | ≥ 1 | – | not measured |",
					"| cluster | keys in Redis without expiry | ≤ 0 | 0 | met |");
	}

	private static void handOverInCluster(Rounds rounds, int round, Contender contender, double p99) {
		Case subject = platform(Scenario.HAND_OVER_CLUSTER, contender);
		rounds.add(subject, round, Metric.P50, p99 / 2);
		rounds.add(subject, round, Metric.P99, p99);
		rounds.add(subject, round, Metric.SERVER_CPU_PER_CYCLE, 50);
		rounds.add(subject, round, Metric.SERVER_KEYS_FOR_EVER, 0);
	}

	private static Case hotJvms(Contender contender) {
		return platform(Scenario.HOT_JVMS, contender);
	}

	private static Case solo(Contender contender) {
		return platform(Scenario.SOLO, contender);
	}

	private static Case platform(Scenario scenario, Contender contender) {
		return new Case(scenario, contender, ThreadKind.PLATFORM);
	}

}
