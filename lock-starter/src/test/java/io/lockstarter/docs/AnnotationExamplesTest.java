// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.lockstarter.LockMode;
import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.autoconfigure.LeaderAutoConfiguration;
import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;
import io.lockstarter.docs.AnnotationExamples.Busy;
import io.lockstarter.docs.AnnotationExamples.Careful;
import io.lockstarter.docs.AnnotationExamples.Checkout;
import io.lockstarter.docs.AnnotationExamples.Inside;
import io.lockstarter.docs.AnnotationExamples.Jobs;
import io.lockstarter.docs.AnnotationExamples.Later;
import io.lockstarter.docs.AnnotationExamples.Order;
import io.lockstarter.docs.AnnotationExamples.Orders;
import io.lockstarter.docs.AnnotationExamples.Shop;
import io.lockstarter.docs.AnnotationExamples.ShopFailures;
import io.lockstarter.docs.AnnotationExamples.TenantKeys;
import io.lockstarter.docs.AnnotationExamples.Tenants;
import io.lockstarter.docs.AnnotationExamples.Warehouse;
import io.lockstarter.leader.LeaderElections;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Runs the examples of docs/annotation.md.
 */
class AnnotationExamplesTest {

	private static final Order ORDER = new Order("o7");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LeaderAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory", "spring.application.name=shop")
		.withBean(Warehouse.class)
		.withBean("tenants", Tenants.class)
		.withBean("tenantKeys", TenantKeys.class)
		.withBean(Shop.class)
		.withBean(Busy.class)
		.withBean(Later.class)
		.withBean(Careful.class)
		.withBean(Orders.class)
		.withBean(Jobs.class)
		.withBean(Inside.class)
		.withBean(Checkout.class)
		.withUserConfiguration(Database.class);

	@Test
	void keysAreWhatTheDocumentSays() {
		this.runner.run((context) -> {
			Shop shop = context.getBean(Shop.class);
			shop.buy(42, 1);
			shop.ship(ORDER);
			shop.cancel(ORDER);
			shop.pick(3);
			shop.importOrders();
			shop.transfer("b", "a");
			shop.buyAll(List.of(2L, 1L));
			shop.audit("sales");
			assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of("stock:42"),
					List.of("order:o7"), List.of("order:o7"), List.of("pick:3"), List.of("shop:acme:import"),
					List.of("account:a", "account:b"), List.of("stock:1", "stock:2"), List.of("acme:audit:sales"));
		});
	}

	@Test
	void busyKeyIsSkippedOrAnsweredByTheFallback() {
		this.runner.run((context) -> {
			Busy busy = context.getBean(Busy.class);
			assertThat(busy.report()).isPresent();
			assertThat(busy.buyOrQueue(42)).isEqualTo(new Order("42"));
			whileSomebodyHolds(context, "report", () -> assertThat(busy.report()).isEqualTo(Optional.empty()));
			whileSomebodyHolds(context, "stock:42", () -> assertThat(busy.buyOrQueue(42)).isSameAs(Order.WAITING));
		});
	}

	@Test
	void asynchronousCallThatWaitsForOneWithItsOwnKeyFails() {
		this.runner.withPropertyValues("distributed-lock.wait-time=20ms")
			.withBean(Twice.class)
			.run((context) -> assertThat(context.getBean(Twice.class).buyTwice(42)).failsWithin(Duration.ofSeconds(10))
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(LockNotAcquiredException.class));
	}

	@Test
	void handlerAnswersWhereTheAnnotationDoesNot() {
		this.runner.withPropertyValues("distributed-lock.wait-time=10ms")
			.withBean(ShopFailures.class)
			.run((context) -> whileSomebodyHolds(context, "order:o7",
					() -> assertThatIllegalStateException().isThrownBy(() -> context.getBean(Shop.class).ship(ORDER))
						.withMessage("Somebody else buys right now, please try again")));
	}

	@Test
	void workGoesOnWithoutRedisWhereThatIsAskedFor() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
			.withBean(LockRegistry.class, UnavailableRegistry::create)
			.withBean(Warehouse.class)
			.withBean(Busy.class)
			.run((context) -> {
				Busy busy = context.getBean(Busy.class);
				busy.sendMail(ORDER);
				assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of());
				assertThatExceptionOfType(LockStoreException.class).isThrownBy(busy::report);
			});
	}

	@Test
	void lockIsHeldUntilTheResultIsThere() {
		this.runner.run((context) -> {
			Warehouse warehouse = context.getBean(Warehouse.class);
			Later later = context.getBean(Later.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockOptions once = LockOptions.defaults().withWaitTime(Duration.ZERO);
			CountDownLatch working = new CountDownLatch(1);
			CountDownLatch finish = new CountDownLatch(1);
			warehouse.duringWork = () -> {
				working.countDown();
				try {
					finish.await(10, TimeUnit.SECONDS);
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			};
			CompletableFuture<Order> order = later.buyLater(42);
			assertThat(working.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(registry.tryAcquire("stock:42", once)).isEmpty();
			finish.countDown();
			assertThat(order.get(10, TimeUnit.SECONDS)).isEqualTo(new Order("42"));
			assertThat(later.buyReactively(42).block()).isEqualTo(new Order("42"));
			registry.acquire("stock:42", LockOptions.defaults()).close();
		});
	}

	@Test
	void lockOutlivesTheTransactionInWhichItWasTaken() {
		this.runner.run((context) -> {
			Checkout checkout = context.getBean(Checkout.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			assertThatIllegalStateException().isThrownBy(() -> checkout.book("a"));
			new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
				.executeWithoutResult((status) -> {
					checkout.buyInTransaction(42);
					checkout.nextNumber();
					checkout.book("a");
					assertThat(registry.obtain("stock:42").holdCount()).isOne();
					assertThat(registry.obtain("number").holdCount()).isZero();
					assertThat(registry.obtain("account:a").holdCount()).isOne();
				});
			assertThat(registry.obtain("stock:42").holdCount()).isZero();
			assertThat(registry.obtain("account:a").holdCount()).isZero();
		});
	}

	@Test
	void fencingTokenGrowsFromCallToCall() {
		this.runner.run((context) -> {
			context.getBean(Careful.class).buyFenced(42);
			context.getBean(Careful.class).buyFenced(42);
			List<Long> tokens = context.getBean(Warehouse.class).tokens;
			assertThat(tokens.get(1)).isGreaterThan(tokens.get(0));
		});
	}

	@Test
	void ownAnnotationAndSeveralOfThem() {
		this.runner.run((context) -> {
			Orders orders = context.getBean(Orders.class);
			LockRegistry registry = context.getBean(LockRegistry.class);
			Warehouse warehouse = context.getBean(Warehouse.class);
			orders.pay(ORDER);
			warehouse.duringWork = () -> assertThat(
					registry.obtain("orders", LockOptions.defaults().withMode(LockMode.SHARED)).holdCount())
				.isOne();
			orders.archive(ORDER);
			assertThat(warehouse.locked).containsExactly(List.of("order:o7"), List.of("order:o7"));
		});
	}

	@Test
	void jobThatEndedEarlyIsNotRunAgain() {
		this.runner.run((context) -> {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.nightly();
			jobs.nightly();
			jobs.remind();
			jobs.remind();
			assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of("nightly"),
					List.of("reminders"));
		});
	}

	@Test
	void catalogIsPrintedBesideOthersWhoReadIt() {
		this.runner.run((context) -> {
			LockOptions shared = LockOptions.defaults().withMode(LockMode.SHARED);
			try (Lease reader = context.getBean(LockRegistry.class).acquire("catalog:acme", shared)) {
				context.getBean(Jobs.class).printCatalog("acme");
				assertThat(reader.isValid()).isTrue();
			}
			assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of("catalog:acme"));
		});
	}

	@Test
	void permitIsOneOfFiveSlots() {
		this.runner.run((context) -> {
			context.getBean(Jobs.class).export("acme");
			assertThat(context.getBean(Warehouse.class).locked).singleElement()
				.satisfies((keys) -> assertThat(keys).singleElement().asString().matches("permit:export:acme:[0-4]"));
		});
	}

	@Test
	void leaderMakesTheReport() {
		this.runner.run((context) -> {
			await().until(context.getBean(LeaderElections.class).of("reports")::isLeader);
			context.getBean(Jobs.class).report();
			assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of("leader:reports"));
		});
	}

	@Test
	void callsFromInsideGoThroughTheRegistry() {
		this.runner.run((context) -> {
			context.getBean(Inside.class).buyMany(List.of(1L, 2L));
			assertThat(context.getBean(Warehouse.class).locked).containsExactly(List.of("stock:1"), List.of("stock:2"));
		});
	}

	private static void whileSomebodyHolds(ApplicationContext context, String key, Runnable action)
			throws InterruptedException {
		try (var lease = context.getBean(LockRegistry.class).acquire(key, LockOptions.defaults())) {
			action.run();
			assertThat(lease.isValid()).isTrue();
		}
		catch (LockNotAcquiredException ex) {
			throw new AssertionError(ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Database {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new JdbcTransactionManager(
					new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build());
		}

	}

	/**
	 * Waits in an asynchronous method for another one with the same key.
	 */
	static class Twice {

		private final Later later;

		Twice(Later later) {
			this.later = later;
		}

		@DistributedLock("stock:#{#productId}")
		public CompletableFuture<Order> buyTwice(long productId) {
			return this.later.buyLater(productId);
		}

	}

}
