// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.test.LockTester;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The examples of docs/testing-your-service.md without Spring.
 */
class ShopUnitTest {

	@AutoClose
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
