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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two JVMs pass a lock to and fro in a cluster, for a moment. {@code run.sh cluster} does
 * so for longer, and beside others.
 */
@Tag("proof")
class ClusterTest {

	@Test
	void lockIsHandedOver(@TempDir Path directory) throws InterruptedException {
		Options options = Options.parse(List.of("--warmup", "0", "--measure", "2"));
		Case subject = new Case(Scenario.HAND_OVER_CLUSTER, Contender.STARTER, ThreadKind.PLATFORM);
		Map<Metric, Double> metrics = new Measurement(subject, options, Jdk.current(), directory).run()
			.metrics(Contender.STARTER);
		System.out.println("Hand-over in a cluster: " + metrics);
		assertThat(metrics).doesNotContainKey(Metric.FAILED);
		assertThat(metrics.get(Metric.SECTIONS_CHECKED)).as("sections").isPositive();
		assertThat(metrics.get(Metric.LOST_UPDATES)).as("lost updates").isZero();
		assertThat(metrics.get(Metric.TOKEN_BREACHES)).as("tokens that did not grow").isZero();
		assertThat(metrics.get(Metric.SERVER_CPU)).as("CPU of the nodes").isPositive();
		assertThat(metrics.get(Metric.SERVER_KEYS_FOR_EVER)).as("keys without expiry").isZero();
	}

}
