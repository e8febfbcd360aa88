// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import io.lockstarter.docs.Recipes.Batch;
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

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

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
		.withBean(Batch.class)
		.withBean(Partner.class)
		.withBean(Fenced.class);

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
	void partitionThatAnotherInstanceHasIsLeftOut() {
		this.runner.run((context) -> {
			Batch batch = context.getBean(Batch.class);
			try (Lease other = hold(context, "batch:b")) {
				batch.processAll(List.of("a", "b", "c"));
				assertThat(other.isValid()).isTrue();
			}
			assertThat(batch.processed).containsExactly("atrue", "ctrue");
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
