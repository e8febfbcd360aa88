// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.fence;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockedTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What a fence does on each database. A late holder is one whose row has a larger token
 * than it has, as whoever acquired the lock after it left there.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class FenceContract {

	private static final int REQUIRES_NEW = TransactionDefinition.PROPAGATION_REQUIRES_NEW;

	private static final int NESTED = TransactionDefinition.PROPAGATION_NESTED;

	private static final long LARGER = Long.MAX_VALUE;

	// The common pool may have one thread only, and those here wait for each other.
	private static final Executor THREADS = (task) -> new Thread(task, "another").start();

	private OpenConnections connections;

	private ConfigurableApplicationContext context;

	private JdbcClient jdbc;

	private FencedShop shop;

	private LockFence fence;

	private LockRegistry registry;

	abstract DataSource dataSource();

	@BeforeAll
	void start() {
		this.connections = new OpenConnections(dataSource());
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.initializers((context) -> context.getBeanFactory().registerSingleton("dataSource", this.connections))
			.properties("spring.main.banner-mode=off", "distributed-lock.store=memory",
					"distributed-lock.fence.create-table=true")
			.run();
		this.jdbc = this.context.getBean(JdbcClient.class);
		this.jdbc.sql("create table sale (id int)").update();
		this.shop = this.context.getBean(FencedShop.class);
		this.fence = this.context.getBean(LockFence.class);
		this.registry = this.context.getBean(LockRegistry.class);
	}

	@BeforeEach
	void empty() {
		this.jdbc.sql("delete from sale").update();
		this.jdbc.sql("delete from lock_fence").update();
	}

	@AfterAll
	void close() {
		this.context.close();
	}

	@ParameterizedTest
	@MethodSource("ways")
	void transactionClaimsTheRowOfItsKeyBeforeItsFirstStatement(String name, BiConsumer<FencedShop, Runnable> way) {
		long before = token("stock:1");
		way.accept(this.shop, () -> {
			assertThat(token("stock:1")).isGreaterThan(before);
			sell();
		});
		assertThat(sales()).isOne();
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void rowHasTheTokenOfTheLease() {
		this.shop.sell(1, () -> assertThat(token("stock:1")).isEqualTo(LockScope.current().fencingToken()));
	}

	@ParameterizedTest
	@MethodSource("ways")
	void lateTransactionIsRolledBackBeforeItsFirstStatement(String name, BiConsumer<FencedShop, Runnable> way) {
		late("stock:1");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> way.accept(this.shop, this::sell))
			.withMessageContaining("the database has seen a larger token")
			.satisfies((lost) -> assertThat(lost.key()).isEqualTo("stock:1"));
		assertThat(sales()).isZero();
		assertNothingIsLeftOnTheThread();
		this.shop.sell(2, this::sell);
		assertThat(sales()).as("control: another key").isOne();
	}

	@Test
	void laterTransactionsOfOneLeaseClaimAnew() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.run(1, () -> {
			this.shop.inTransaction(0, this::sell);
			this.shop.inTransaction(0, this::sell);
			late("stock:1");
			this.shop.inTransaction(0, this::sell);
		}));
		assertThat(sales()).isEqualTo(2);
	}

	@Test
	void newTransactionInsideOfOneThatHasClaimedDoesNotWaitForIt() {
		this.shop.sell(1, () -> {
		});
		this.shop.sellSoon(1, () -> {
			sell();
			this.shop.inTransaction(REQUIRES_NEW, this::sell);
			this.shop.inTransaction(REQUIRES_NEW, () -> this.shop.sell(1, this::sell));
			this.shop.inTransaction(NESTED, this::sell);
			assertThat(othersWait("stock:1")).as("the row is locked still").isTrue();
		});
		assertThat(sales()).isEqualTo(4);
	}

	@Test
	void transactionInACallbackAfterTheCommitClaimsAnew() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.sell(1, () -> {
			sell();
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					FenceContract.this.shop.inTransaction(REQUIRES_NEW, () -> {
						assertThat(othersWait("stock:1")).as("claimed").isTrue();
						sell();
					});
					late("stock:1");
					FenceContract.this.shop.inTransaction(REQUIRES_NEW, FenceContract.this::sell);
				}

			});
		}));
		assertThat(sales()).isEqualTo(2);
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void rolledBackTransactionLeavesTheRowToOthers() {
		assertThatIllegalStateException().isThrownBy(() -> this.shop.run(1, () -> {
			this.shop.inTransaction(0, () -> {
				sell();
				throw new IllegalStateException("broken");
			});
		})).withMessage("broken");
		assertThat(token("stock:1")).isZero();
		assertThat(sales()).isZero();
		this.shop.sell(1, this::sell);
		assertThat(sales()).isOne();
	}

	@Test
	void severalKeysAreAllClaimedAndOneLateOneIsEnough() {
		this.shop.sellAll(List.of(3, 1, 2), this::sell);
		assertThat(this.jdbc.sql("select count(*) from lock_fence").query(Integer.class).single()).isEqualTo(3);
		late("stock:2");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.shop.sellAll(List.of(3, 1, 2), this::sell))
			.satisfies((lost) -> assertThat(lost.key()).isEqualTo("stock:2"));
		assertThat(sales()).isOne();
	}

	@Test
	void locksInsideOfEachOtherAreAllClaimed() {
		this.shop.run(1, () -> this.shop.run(2, () -> this.shop.inTransaction(0, this::sell)));
		assertThat(token("stock:1")).isPositive();
		assertThat(token("stock:2")).isPositive();
		late("stock:1");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.shop.run(1, () -> this.shop.run(2, () -> this.shop.inTransaction(0, this::sell))));
		assertThat(sales()).isOne();
	}

	@Test
	void successorWaitsForTheTransactionOfItsPredecessorAndGoesOn() throws InterruptedException {
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> predecessor = CompletableFuture.runAsync(() -> claimByHand("stock:1", 5, claimed, end),
				THREADS);
		claimed.await();
		CompletableFuture<Void> successor = CompletableFuture.runAsync(() -> this.shop.sell(1, () -> {
			assertThat(sales()).as("sees what the predecessor has committed").isOne();
			sell();
		}), THREADS);
		assertWaits(successor);
		end.countDown();
		predecessor.join();
		successor.join();
		assertThat(sales()).isEqualTo(2);
	}

	@Test
	void successorThatHasClaimedAnotherKeyMeanwhileSeesWhatItsPredecessorHasCommitted() throws InterruptedException {
		this.shop.sellAll(List.of(1, 2), this::sell);
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> predecessor = CompletableFuture.runAsync(() -> updateByHand("stock:2", claimed, end),
				THREADS);
		claimed.await();
		CompletableFuture<Void> successor = CompletableFuture
			.runAsync(() -> this.shop.sellAll(List.of(1, 2), () -> assertThat(sales()).isEqualTo(2)), THREADS);
		assertWaits(successor);
		end.countDown();
		predecessor.join();
		successor.join();
	}

	@Test
	void lateTransactionThatHasClaimedAnotherKeyMeanwhileIsRolledBack() throws InterruptedException {
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> both = new CompletableFuture<>();
		CompletableFuture<Void> late = CompletableFuture.runAsync(() -> this.shop.run(1, () -> this.shop.run(2, () -> {
			this.shop.inTransaction(0, this::sell);
			both.complete(null);
			uninterrupted(claimed);
			this.shop.inTransaction(0, this::sell);
		})), THREADS);
		both.join();
		CompletableFuture<Void> newer = CompletableFuture
			.runAsync(() -> hold(() -> this.jdbc.sql("update lock_fence set token = ? where name = 'lock:stock:2'")
				.param(LARGER)
				.update(), claimed, end), THREADS);
		assertWaits(late);
		end.countDown();
		newer.join();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(late::join)
			.withCauseInstanceOf(LockLostException.class);
		assertThat(sales()).as("of the first transaction and of the newer holder").isEqualTo(2);
	}

	/**
	 * Whether a transaction at {@code REPEATABLE READ} that has waited for the row fails,
	 * as it would see it as it was.
	 */
	abstract boolean failsAtRepeatableRead();

	@Test
	void successorAtRepeatableReadFailsToBeRetriedOrSeesWhatWasCommitted() throws InterruptedException {
		this.shop.sell(1, this::sell);
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> predecessor = CompletableFuture.runAsync(() -> updateByHand("stock:1", claimed, end),
				THREADS);
		claimed.await();
		CompletableFuture<Void> successor = CompletableFuture.runAsync(() -> this.shop.sellRepeatably(1, () -> {
			assertThat(sales()).as("sees what the predecessor has committed").isEqualTo(2);
			sell();
		}), THREADS);
		assertWaits(successor);
		end.countDown();
		predecessor.join();
		if (failsAtRepeatableRead()) {
			assertThatExceptionOfType(CompletionException.class).isThrownBy(successor::join)
				.withCauseInstanceOf(ConcurrencyFailureException.class)
				.satisfies((failure) -> assertThat(failure.getCause().getCause()).isInstanceOfSatisfying(
						SQLException.class, (conflict) -> assertThat(conflict.getSQLState()).isEqualTo("40001")));
			this.shop.sellRepeatably(1, this::sell);
		}
		else {
			successor.join();
		}
		assertThat(sales()).isEqualTo(3);
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void waitOfASuccessorEndsWithTheTimeoutOfItsTransaction() throws InterruptedException {
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> predecessor = CompletableFuture.runAsync(() -> claimByHand("stock:1", 5, claimed, end),
				THREADS);
		claimed.await();
		assertThatExceptionOfType(DataAccessException.class).isThrownBy(() -> this.shop.sellSoon(1, this::sell));
		assertNothingIsLeftOnTheThreadBut(1);
		end.countDown();
		predecessor.join();
		this.shop.sellSoon(1, this::sell);
		assertThat(sales()).isEqualTo(2);
	}

	@Test
	void firstClaimsOfManyKeysAtOnceDoNotDisturbEachOther() {
		List<CompletableFuture<Void>> sellers = Stream.iterate(1, (id) -> id + 1)
			.limit(40)
			.map((id) -> CompletableFuture.runAsync(() -> this.shop.sell(id % 20, this::sell), THREADS))
			.toList();
		sellers.forEach(CompletableFuture::join);
		assertThat(sales()).isEqualTo(40);
	}

	@Test
	void readOnlyTransactionIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.shop.read(1, this::sell))
			.withMessageContaining("is read-only, so it cannot claim 'stock:1'");
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void callWithoutATransactionFails() {
		assertThatIllegalStateException().isThrownBy(() -> this.shop.run(1, this::sell))
			.withMessageStartingWith("Nothing was fenced under the lock of 'stock:1'");
		assertThatIllegalStateException().isThrownBy(() -> this.shop.supports(1, this::sell))
			.withMessageStartingWith("Nothing was fenced under the lock of 'stock:1'");
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void lateTransactionUnderALockWithoutAFenceIsNotRefused() {
		late("stock:1");
		this.<RuntimeException>call((scope) -> this.shop.inTransaction(0, this::sell));
		assertThat(sales()).isOne();
	}

	@Test
	void transactionThatBeganBeforeTheLockIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.shop.inTransaction(0, () -> this.shop.sell(1, this::sell)))
			.withMessageStartingWith("A transaction began before the fenced lock of 'stock:1'");
		assertThatIllegalStateException().isThrownBy(() -> this.shop.sell(1, () -> this.shop.sell(2, this::sell)))
			.withMessageStartingWith("A transaction began before the fenced lock of 'stock:2'");
		assertThat(sales()).isZero();
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void transactionUnderTheSameLeaseMayBeEnteredAgain() {
		this.shop.sell(1, () -> this.shop.sell(1, this::sell));
		assertThat(sales()).isOne();
	}

	@Test
	void failedBeginningResumesWhatItHasSuspendedOnce() {
		late("stock:1");
		StringBuilder events = new StringBuilder();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.shop.supports(1, () -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void suspend() {
					events.append("suspended ");
				}

				@Override
				public void resume() {
					events.append("resumed ");
				}

				@Override
				public void afterCompletion(int status) {
					events.append("completed");
				}

			});
			this.shop.inTransaction(0, this::sell);
		}));
		assertThat(events).hasToString("suspended resumed completed");
		assertNothingIsLeftOnTheThread();
	}

	@Test
	void actionOfTheRegistryIsFencedByHand() {
		this.<RuntimeException>call((scope) -> this.shop.inTransaction(0, () -> {
			this.fence.claim(scope.leases().get(0));
			sell();
		}));
		this.<RuntimeException>call((scope) -> this.fence.<Object, RuntimeException>call(scope, (same) -> {
			this.shop.inTransaction(0, this::sell);
			return "";
		}));
		assertThat(sales()).isEqualTo(2);
		late("stock:1");
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.<RuntimeException>call((scope) -> this.shop.inTransaction(0, () -> {
				sell();
				this.fence.claim(scope.leases().get(0));
			})));
		assertThat(sales()).isEqualTo(2);
		assertThatIllegalStateException()
			.isThrownBy(() -> this.<RuntimeException>call((scope) -> this.fence.claim(scope.leases().get(0))))
			.withMessageContaining("'stock:1' can only be claimed in a transaction");
	}

	private <X extends Throwable> void call(LockedTask<X> task) throws X {
		this.registry.run("stock:1", LockOptions.defaults(), task);
	}

	@Test
	void rowsThatNobodyClaimsAreDeleted() {
		this.shop.sell(1, this::sell);
		this.shop.sell(2, this::sell);
		this.jdbc.sql("update lock_fence set token = token - ? where name = 'lock:stock:1'")
			.param(TimeUnit.DAYS.toMicros(7))
			.update();
		assertThat(this.fence.purge(Duration.ofDays(8))).isZero();
		assertThat(this.fence.purge(Duration.ofDays(6))).isOne();
		assertThat(token("stock:1")).isZero();
		assertThat(token("stock:2")).isPositive();
	}

	@Test
	void purgeWaitsForNoTransactionThatHasClaimedARow() throws InterruptedException {
		this.shop.sellAll(List.of(1, 2), this::sell);
		this.jdbc.sql("update lock_fence set token = 1 where name = 'lock:stock:1'").update();
		CountDownLatch claimed = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Void> holder = CompletableFuture.runAsync(() -> updateByHand("stock:2", claimed, end),
				THREADS);
		claimed.await();
		CompletableFuture<Integer> purge = CompletableFuture.supplyAsync(() -> this.fence.purge(Duration.ofDays(6)),
				THREADS);
		try {
			assertThat(purge).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(1);
		}
		finally {
			end.countDown();
			holder.join();
		}
	}

	@Test
	void keysThatDifferInCaseHaveRowsOfTheirOwn() throws InterruptedException {
		try (Lease one = this.registry.acquire("Stock", LockOptions.defaults());
				Lease other = this.registry.acquire("stock", LockOptions.defaults())) {
			this.shop.inTransaction(0, () -> this.fence.claim(other));
			this.shop.inTransaction(0, () -> this.fence.claim(one));
		}
		assertThat(this.jdbc.sql("select count(*) from lock_fence").query(Integer.class).single()).isEqualTo(2);
	}

	@Test
	void keyThatDoesNotFitIsRefused() {
		assertThatIllegalStateException()
			.isThrownBy(() -> this.registry.<Object, RuntimeException>call("k".repeat(251), LockOptions.defaults(),
					(scope) -> this.fence.call(scope, (same) -> "")))
			.withMessageContaining("with its prefix it has 256 characters, and 255 at most fit");
	}

	static Stream<Arguments> ways() {
		BiConsumer<FencedShop, Runnable> transactional = (shop, action) -> shop.sell(1, action);
		BiConsumer<FencedShop, Runnable> template = (shop, action) -> shop.sellInTemplate(1, action);
		BiConsumer<FencedShop, Runnable> inner = (shop, action) -> shop.run(1, () -> shop.unfenced(9, action));
		BiConsumer<FencedShop, Runnable> isolated = (shop, action) -> shop.run(1,
				() -> shop.inTransaction(REQUIRES_NEW, action));
		return Stream.of(Arguments.of("annotated method", transactional), Arguments.of("template", template),
				Arguments.of("annotated method that is called", inner), Arguments.of("new transaction", isolated));
	}

	private void sell() {
		this.jdbc.sql("insert into sale values (1)").update();
	}

	private int sales() {
		return this.jdbc.sql("select count(*) from sale").query(Integer.class).single();
	}

	private long token(String key) {
		return this.jdbc.sql("select token from lock_fence where name = ?")
			.param("lock:" + key)
			.query(Long.class)
			.optional()
			.orElse(0L);
	}

	/**
	 * A newer holder has claimed the row.
	 */
	private void late(String key) {
		CompletableFuture.runAsync(() -> {
			this.jdbc.sql("delete from lock_fence where name = ?").param("lock:" + key).update();
			this.jdbc.sql("insert into lock_fence values (?, ?)").params("lock:" + key, LARGER).update();
		}, THREADS).join();
	}

	private static void assertWaits(CompletableFuture<Void> successor) {
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> successor.get(1, TimeUnit.SECONDS));
	}

	private boolean othersWait(String key) {
		CompletableFuture<Void> other = CompletableFuture.runAsync(
				() -> this.jdbc.sql("update lock_fence set token = token where name = ?").param("lock:" + key).update(),
				THREADS);
		try {
			other.copy().get(200, TimeUnit.MILLISECONDS);
			return false;
		}
		catch (TimeoutException ex) {
			return true;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void claimByHand(String key, long token, CountDownLatch claimed, CountDownLatch end) {
		hold(() -> this.jdbc.sql("insert into lock_fence values (?, ?)").params("lock:" + key, token).update(), claimed,
				end);
	}

	private void updateByHand(String key, CountDownLatch claimed, CountDownLatch end) {
		hold(() -> this.jdbc.sql("update lock_fence set token = token + 1 where name = ?")
			.param("lock:" + key)
			.update(), claimed, end);
	}

	private void hold(Runnable claim, CountDownLatch claimed, CountDownLatch end) {
		this.shop.inTransaction(0, () -> {
			claim.run();
			sell();
			claimed.countDown();
			uninterrupted(end);
		});
	}

	private static void uninterrupted(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void assertNothingIsLeftOnTheThread() {
		assertNothingIsLeftOnTheThreadBut(0);
	}

	private void assertNothingIsLeftOnTheThreadBut(int open) {
		assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		assertThat(this.fence.isInUse()).isFalse();
		assertThat(this.connections.open()).isEqualTo(open);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Application {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		JdbcClient jdbc(DataSource dataSource) {
			return JdbcClient.create(dataSource);
		}

		@Bean
		FencedShop shop(PlatformTransactionManager manager) {
			return new FencedShop(manager);
		}

	}

}
