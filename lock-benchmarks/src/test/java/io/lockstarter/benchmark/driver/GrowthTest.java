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
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Very many keys, refusals and cancelled requests leave nothing behind in a JVM, and
 * nothing in Redis that does not expire. {@code run.sh growth} does more of them.
 */
@Tag("proof")
class GrowthTest {

	@ParameterizedTest
	@CsvSource({ "GROWTH_KEYS, 25000", "GROWTH_REFUSED, 10000", "GROWTH_CANCELLED, 5000" })
	void nothingStaysBehind(Scenario scenario, String count, @TempDir Path directory) throws InterruptedException {
		Options options = Options.parse(List.of("--warmup", "0", "--count", count));
		Case subject = new Case(scenario, Contender.STARTER, ThreadKind.PLATFORM);
		Map<Metric, Double> metrics = new Measurement(subject, options, Jdk.current(), directory).run()
			.metrics(Contender.STARTER);
		System.out.println(scenario + ": " + metrics);
		assertThat(metrics.get(Metric.HEAP_MORE)).as("more live heap, kB").isLessThan(500);
		assertThat(metrics.get(Metric.QUEUES)).as("more local queues").isLessThanOrEqualTo(0);
		assertThat(metrics.get(Metric.MORE_THREADS)).as("more threads").isLessThanOrEqualTo(0);
		assertThat(metrics.get(Metric.OUR_OBJECTS)).as("more objects of lock-starter").isLessThan(100);
		assertThat(metrics.get(Metric.LETTUCE_OBJECTS)).as("more objects of Lettuce").isLessThan(100);
		assertThat(metrics.get(Metric.SERVER_KEYS_FOR_EVER)).as("keys in Redis without expiry").isZero();
	}

}
