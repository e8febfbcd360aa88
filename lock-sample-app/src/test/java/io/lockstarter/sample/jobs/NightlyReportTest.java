/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
