package io.lockstarter.proof;

import java.sql.SQLException;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import io.lockstarter.proof.TortureReport.Plan;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A short {@link TortureRun}, on request: {@code -Dtorture.seed=1}. {@code torture.sh}
 * does it for as long as you like.
 */
@EnabledIfSystemProperty(named = "torture.seed", matches = "\\d+")
class TortureTest {

	@Test
	void nothingIsWrongAfterAFewFaults() throws SQLException {
		Plan plan = new Plan(Duration.ofSeconds(8), Long.getLong("torture.seed", 1), 4, 50, Duration.ofSeconds(1),
				false);
		TortureReport report = TortureRun.run(plan);
		assertThat(report.failures()).as(plan.toString()).isEmpty();
		assertThat(report.counted("sections")).isGreaterThan(100);
	}

}
