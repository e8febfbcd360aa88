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
package io.lockstarter.docs;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The examples of docs/testing-your-service.md without Spring.
 */
class ShopUnitTest {

	private final LockTester locks = LockTester.create();

	@Test
	void reportIsMadeByOneInstanceAtATime() {
		ReportJob job = new ReportJob(this.locks.registry());
		Lease other = this.locks.hold("report");
		assertThat(job.run()).isFalse();
		other.close();
		assertThat(job.run()).isTrue();
	}

	@Test
	void secondInstanceMakesNoReportMeanwhile() {
		ReportJob other = new ReportJob(this.locks.otherInstance());
		ReportJob job = new ReportJob(this.locks.registry(), () -> assertThat(other.run()).isFalse());
		assertThat(job.run()).isTrue();
	}

	@Test
	void callerWaitsForTheOtherInstance() {
		LockRegistry registry = this.locks.registry();
		Lease other = this.locks.hold("stock:42");
		CompletableFuture<Lease> waiting = registry.acquireAsync("stock:42", LockOptions.defaults());
		await().until(() -> !((LockInspector) registry).waiting().isEmpty());
		other.close();
		waiting.join().close();
		assertThat(this.locks.acquired("stock:42")).hasSize(1);
	}

}
