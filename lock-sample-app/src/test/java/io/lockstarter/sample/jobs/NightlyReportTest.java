// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.sample.RunningShop;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NightlyReport}.
 */
class NightlyReportTest {

	@Test
	void ofTwoInstancesOneWritesTheReport() {
		try (RunningShop first = RunningShop.start("--sale.report-cron=-"); RunningShop second = first.startAnother()) {
			CompletableFuture
				.allOf(CompletableFuture.runAsync(first.bean(NightlyReport.class)::write),
						CompletableFuture.runAsync(second.bean(NightlyReport.class)::write))
				.join();
			// And one whose clock is late.
			second.bean(NightlyReport.class).write();
			assertThat(first.bean(JdbcClient.class).sql("SELECT COUNT(*) FROM report").query(Integer.class).single())
				.isEqualTo(1);
		}
	}

}
