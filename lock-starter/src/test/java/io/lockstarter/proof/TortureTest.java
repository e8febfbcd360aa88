// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.proof.TortureReport.Plan;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short {@link TortureRun}. Other faults with {@code -Dtorture.seed=1}, shorter with
 * {@code -Dtorture.seconds=10}; {@code torture.sh} does it for as long as you like. Not
 * part of every build.
 */
@Tag("proof")
@Tag("alone")
class TortureTest {

	@Test
	void nothingIsWrongAfterManyFaults() throws SQLException {
		Plan plan = new Plan(Duration.ofSeconds(Long.getLong("torture.seconds", 40)),
				Long.getLong("torture.seed", System.nanoTime() % 1_000_000), 4, 50, Duration.ofSeconds(1), false);
		TortureReport report = TortureRun.run(plan);
		assertThat(report.failures()).as(plan.toString()).isEmpty();
		assertThat(report.counted("sections")).isGreaterThan(100);
		assertThat(report.counted("sections that shared a key")).isPositive();
		assertThat(report.counted("sections with a permit")).isPositive();
		assertThat(report.counted("sections that were downgraded")).isPositive();
	}

}
