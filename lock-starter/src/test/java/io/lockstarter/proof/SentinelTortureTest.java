// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.proof.TortureReport.Plan;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short run of {@link SentinelTortureRun}. More of it with
 * {@code -Dtorture.seconds=600 -Dtorture.seed=1}.
 */
@Tag("proof")
@Tag("alone")
class SentinelTortureTest {

	@Test
	void nothingIsWrongAfterManyFaults() throws SQLException {
		Plan plan = new Plan(Duration.ofSeconds(Long.getLong("torture.seconds", 10)),
				Long.getLong("torture.seed", System.nanoTime() % 1_000_000), 4, 50, Duration.ofMillis(1500), false);
		TortureReport report = SentinelTortureRun.run(plan);
		assertThat(report.failures()).as(plan.toString()).isEmpty();
		assertThat(report.counted("sections")).isGreaterThan(100);
		assertThat(report.counted("sections that shared a key")).isPositive();
		assertThat(report.counted("sections with a permit")).isPositive();
		assertThat(report.counted("sections that were downgraded")).isPositive();
	}

}
