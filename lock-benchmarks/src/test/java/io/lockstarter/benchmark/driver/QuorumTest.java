// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Metric;
import io.lockstarter.benchmark.report.Rounds.Case;
import io.lockstarter.benchmark.scenario.Scenario;
import io.lockstarter.benchmark.scenario.ThreadKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three servers vote, for a moment, also with one of them frozen or killed. {@code run.sh
 * quorum} does so for longer, and beside others.
 */
@Tag("proof")
class QuorumTest {

	@ParameterizedTest
	@EnumSource(names = { "QUORUM_HAND_OVER", "QUORUM_FROZEN", "QUORUM_KILLED" })
	void twoOfThreeServersDecide(Scenario scenario, @TempDir Path directory) throws InterruptedException {
		Options options = Options.parse(List.of("--warmup", "0", "--measure", "2"));
		Case subject = new Case(scenario, Contender.STARTER, ThreadKind.PLATFORM);
		Map<Metric, Double> metrics = new Measurement(subject, options, Jdk.current(), directory).run()
			.metrics(Contender.STARTER);
		System.out.println(scenario + ": " + metrics);
		assertThat(metrics).doesNotContainKey(Metric.FAILED);
		assertThat(metrics.get(Metric.TIMES)).as("samples").isPositive();
		assertThat(metrics.get(Metric.MAX)).as("the longest, µs").isLessThan(1_900_000);
		assertThat(metrics.getOrDefault(Metric.LOST_UPDATES, 0.0)).as("lost updates").isZero();
		assertThat(metrics.getOrDefault(Metric.TOKEN_BREACHES, 0.0)).as("tokens that did not grow").isZero();
		assertThat(metrics.get(Metric.SERVER_CPU)).as("CPU of the servers").isPositive();
		assertThat(metrics.get(Metric.SERVER_KEYS_FOR_EVER)).as("keys without expiry").isZero();
	}

}
