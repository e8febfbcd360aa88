// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import io.lockstarter.docs.BatchRecipe.Written;
import io.lockstarter.docs.Recipes.Cache;
import io.lockstarter.docs.Recipes.Event;
import io.lockstarter.docs.Recipes.Fenced;
import io.lockstarter.docs.Recipes.Imports;
import io.lockstarter.docs.Recipes.Nightly;
import io.lockstarter.docs.Recipes.Partner;
import io.lockstarter.docs.Recipes.Reports;
import io.lockstarter.docs.Recipes.SlowReports;
import io.lockstarter.docs.Recipes.Webhook;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobOperator;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Runs the examples of docs/recipes.md.
 */
class RecipesTest {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory")
		.withBean(Nightly.class)
		.withBean(Webhook.class)
		.withBean(Cache.class)
		.withBean(Reports.class)
		.withBean(SlowReports.class)
		.withBean(Imports.class)
		.withBean(Partner.class)
		.withBean(Fenced.class);

	private final ApplicationContextRunner batch = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.wait-time=10ms")
		.withUserConfiguration(BatchRecipe.class);

	@Test
	void jobThatEndsSoonDoesNotRunASecondTime() {
		this.runner.run((context) -> {
			Nightly nightly = context.getBean(Nightly.class);
			nightly.sendInvoices();
			// Its lock is kept for a minute.
			nightly.sendInvoices();
			assertThat(nightly.runs()).isOne();
		});
	}

	@Test
	void eventThatIsDeliveredTwiceAtTheSameTimeIsHandledOnce() {
		this.runner.run((context) -> {
			Webhook webhook = context.getBean(Webhook.class);
			atOnce(() -> webhook.receive(new Event("e1", "o7")));
			assertThat(webhook.paid()).containsExactly("o7");
		});
	}

	@Test
	void reportIsComputedOnceHoweverManyAskForIt() {
		this.runner.run((context) -> {
			Reports reports = context.getBean(Reports.class);
			atOnce(() -> assertThat(reports.report("May")).isEqualTo("report of May"));
			assertThat(context.getBean(SlowReports.class).computed()).containsExactly("May");
		});
	}

	@Test
	void importOfATenantIsSkippedWhileAnotherOneRuns() {
		this.runner.run((context) -> {
			Imports imports = context.getBean(Imports.class);
			try (Lease running = hold(context, "import:acme")) {
				assertThat(imports.importOrders("acme")).isEmpty();
				assertThat(imports.importOrders("globex")).isPresent();
				assertThat(running.isValid()).isTrue();
			}
			assertThat(imports.importOrders("acme")).isPresent();
		});
	}

	@Test
	void partitionThatAnotherJobHasFailsAndIsDoneByTheRestart() {
		this.batch.run((context) -> {
			Written written = context.getBean(Written.class);
			try (Lease other = hold(context, "import:b")) {
				assertThat(run(context)).isEqualTo("FAILED");
				assertThat(other.isValid()).isTrue();
			}
			assertThat(written.all).containsExactlyInAnyOrder("a", "a", "c", "c");
			assertThat(run(context)).isEqualTo("COMPLETED");
			assertThat(written.all).hasSize(6).endsWith("b", "b");
		});
	}

	@Test
	void partitionWhoseLockIsLostStopsAfterItsTransaction() {
		this.batch.run((context) -> {
			Written written = context.getBean(Written.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			written.onWrite((step) -> {
				String key = "import:" + step.getExecutionContext().getString("partition");
				assertThat(registry.obtain(key).isLocked()).isTrue();
				if (key.equals("import:b")) {
					assertThat(context.getBean(LockInspector.class).forceRelease(key, null).join()).isTrue();
					await().until(step::isTerminateOnly);
				}
			});
			assertThat(run(context)).isEqualTo("STOPPED");
			assertThat(written.all).filteredOn("b"::equals).hasSize(1);
		});
	}

	@Test
	void partnerIsCalledAndTokensGrow() {
		this.runner.run((context) -> {
			assertThat(context.getBean(Partner.class).rate("EUR")).isEqualTo("EUR");
			Fenced fenced = context.getBean(Fenced.class);
			long first = fenced.write();
			assertThat(fenced.write()).isGreaterThan(first);
		});
	}

	private static String run(ApplicationContext context) throws Exception {
		JobExecution execution = context.getBean(JobOperator.class)
			.start(context.getBean(Job.class), new JobParametersBuilder().addString("day", "1").toJobParameters());
		return execution.getStatus().name();
	}

	private static Lease hold(ApplicationContext context, String key) throws InterruptedException {
		return context.getBean(LockRegistry.class).acquire(key, LockOptions.defaults());
	}

	private static void atOnce(Runnable action) throws Exception {
		ExecutorService callers = Executors.newFixedThreadPool(8);
		try {
			for (var called : callers
				.invokeAll(IntStream.range(0, 8).mapToObj((i) -> Executors.callable(action)).toList())) {
				called.get();
			}
		}
		finally {
			callers.shutdown();
		}
	}

}
