// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.proof.TortureReport.Plan;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short run of {@link QuorumTortureRun}. More of it with
 * {@code -Dtorture.servers=5 -Dtorture.seed=1 -Dtorture.sections=100000}.
 */
@Tag("proof")
@Tag("alone")
class QuorumTortureTest {

	@Test
	void nothingIsWrongAfterManyFaultsOfMinorities() throws SQLException {
		Plan plan = new Plan(Duration.ofSeconds(Long.getLong("torture.seconds", 15)),
				Long.getLong("torture.seed", System.nanoTime() % 1_000_000), 4, 5, Duration.ofSeconds(1), false);
		TortureReport report = QuorumTortureRun.run(plan, Integer.getInteger("torture.servers", 3),
				Long.getLong("torture.sections", 0));
		assertThat(report.failures()).as(plan.toString()).isEmpty();
		assertThat(report.counted("sections")).isGreaterThan(100);
		assertThat(report.counted("sections that shared a key")).isPositive();
		assertThat(report.counted("sections with a permit")).isPositive();
		assertThat(report.counted("sections that were downgraded")).isPositive();
	}

}
