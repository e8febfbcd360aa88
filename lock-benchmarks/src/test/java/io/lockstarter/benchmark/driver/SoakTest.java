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
 * A JVM with 128 MB locks at full speed and keeps nothing of it. For longer with
 * {@code -Dsoak.seconds=300}; {@code run.sh soak} does so beside others.
 */
@Tag("proof")
class SoakTest {

	private static final String SECONDS = System.getProperty("soak.seconds", "15");

	@Test
	void memoryLastsAndTheHeapIsFlat(@TempDir Path directory) throws InterruptedException {
		Options options = Options.parse(List.of("--warmup", "5", "--seconds", SECONDS));
		Case subject = new Case(Scenario.SOAK, Contender.STARTER, ThreadKind.PLATFORM);
		Map<Metric, Double> metrics = new Measurement(subject, options, Jdk.current(), directory).run()
			.metrics(Contender.STARTER);
		System.out.println("Soak for " + SECONDS + " s: " + metrics);
		assertThat(metrics).doesNotContainKey(Metric.FAILED);
		assertThat(metrics.get(Metric.HEAP_LATER)).as("live heap in the end, MB").isLessThan(40);
		assertThat(metrics.get(Metric.HEAP_LATER)).as("live heap in the end and after a third, MB")
			.isLessThan(1.1 * metrics.get(Metric.HEAP_EARLIER) + 1);
		// A machine that is busy with something else may slow it down, but not so much.
		assertThat(metrics.get(Metric.LAST_THIRD)).as("rate in the last third, and in the first")
			.isGreaterThan(metrics.get(Metric.FIRST_THIRD) / 4);
		assertThat(metrics.get(Metric.QUEUES)).as("local queues left").isZero();
		assertThat(metrics.get(Metric.SERVER_KEYS)).as("keys in Redis: the last tokens")
			.isLessThanOrEqualTo(Scenario.SOAK.load().threads() + 1);
		assertThat(metrics.get(Metric.SERVER_KEYS_FOR_EVER)).as("keys without expiry").isZero();
	}

}
