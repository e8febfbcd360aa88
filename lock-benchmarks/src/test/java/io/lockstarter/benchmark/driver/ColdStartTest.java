// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.driver;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.report.Metric;
import io.lockstarter.benchmark.scenario.Scenario;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Services that start together on one core all get their first lock. Needs the executable
 * jars, and so runs after they are built.
 */
@Tag("proof")
class ColdStartTest {

	@Test
	void nobodyFailsTheFirstLock(@TempDir Path directory) throws InterruptedException {
		Options options = Options.parse(List.of("--services", "target"));
		Map<Metric, Double> metrics = new ColdStart(Contender.STARTER, options, Jdk.current(), directory, System.out)
			.run(4);
		System.out.println("Cold start: " + metrics);
		assertThat(metrics.get(Metric.FIRST_LOCKS_FAILED)).as("first locks that failed").isZero();
	}

}
