// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.resilience.retry.MethodRetryEvent;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What is outside and what is inside when a method has other annotations, too: from the
 * outside in, async, retry, lock, then cache and transaction. Each through class proxies
 * and through interface proxies.
 */
class OtherAnnotationsTest {

	private static final String PREFIX = OtherAnnotationsTest.class.getSimpleName();

	// By whether they have class proxies. Tests leave nothing in them.
	private static final Map<Boolean, ConfigurableApplicationContext> defaults = new HashMap<>();

	private final List<ConfigurableApplicationContext> started = new ArrayList<>();

	/** Of the application of the test. */
	private LockRegistry locks;

	@AfterAll
	static void closeDefaults() {
		defaults.values().forEach(ConfigurableApplicationContext::close);
		defaults.clear();
	}

	@AfterEach
	void close() {
		this.started.forEach(ConfigurableApplicationContext::close);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsAroundTheTransaction(boolean classProxy) {
		Work work = work(classProxy);
		assertThat(work.transactional()).containsExactly("in transaction, locked: true", "completed, locked: true");
		assertThat(isLocked("transactional")).isFalse();
	}

	@Test
	void lockWithinTheTransactionIsReleasedAfterItAllTheSame() {
		Work work = start(true, TransactionOutside.class);
		assertThat(work.transactional()).containsExactly("in transaction, locked: true", "completed, locked: true");
		assertThat(isLocked("transactional")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsTakenOnTheThreadOfAnAsynchronousMethod(boolean classProxy) throws Exception {
		Work work = work(classProxy);
		CompletableFuture<Thread> ran = new CompletableFuture<>();
		CountDownLatch finish = new CountDownLatch(1);
		try (Lease busy = this.locks.acquire("async", LockOptions.defaults())) {
			work.async(ran, finish);
			assertThat(ran).as("the caller does not wait for the lock, the other thread does").isNotDone();
			assertThat(busy.isValid()).isTrue();
		}
		assertThat(ran.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
		assertThat(isLocked("async")).as("after the call returned").isTrue();
		finish.countDown();
		await().until(() -> !isLocked("async"));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void asynchronousMethodWithAFutureRunsOnItsThreadAndIsLockedUpToItsResult(boolean classProxy) throws Exception {
		Work work = work(classProxy);
		CompletableFuture<Thread> ran = new CompletableFuture<>();
		CompletableFuture<String> inner = new CompletableFuture<>();
		CompletableFuture<String> result;
		try (Lease busy = this.locks.acquire("future", LockOptions.defaults())) {
			result = work.future(ran, inner);
			assertThat(ran).isNotDone();
			assertThat(busy.isValid()).isTrue();
		}
		assertThat(ran.get(10, TimeUnit.SECONDS).getName()).startsWith("task-");
		assertThat(isLocked("future")).isTrue();
		assertThat(result).isNotDone();
		inner.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(isLocked("future")).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("boot4") // @Retryable is new in Spring Framework 7
	void eachAttemptOfARetryTakesTheLockAnew(boolean classProxy) {
		Work work = work(classProxy);
		List<Long> tokens = new ArrayList<>();
		assertThatIllegalStateException().isThrownBy(() -> work.retried(tokens));
		assertThat(tokens).hasSize(3).doesNotHaveDuplicates();
	}

	@Test
	@Tag("boot4") // @Retryable is new in Spring Framework 7
	void callThatFoundTheLockBusyIsRetriedToo() throws Exception {
		Work work = start(true, RecordedRetries.class);
		List<Long> tokens = new ArrayList<>();
		Lease busy = this.locks.acquire("retried", LockOptions.defaults());
		List<Throwable> failures = this.started.get(0).getBean(Retries.class).failures;
		this.started.get(0).getBean(Retries.class).onFailure = busy::close;
		assertThatIllegalStateException().isThrownBy(() -> work.retried(tokens));
		assertThat(failures.get(0)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(tokens).as("second and third attempt").hasSize(2);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsAroundTheCacheSoThatAValueIsMadeOnce(boolean classProxy) throws Exception {
		Work work = work(classProxy);
		int first = work.cached("x");
		assertThat(work.cached("x")).isEqualTo(first);
		try (Lease busy = this.locks.acquire("cached:x", LockOptions.defaults())) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> work.cached("x"));
			assertThat(busy.isValid()).isTrue();
		}
	}

	@Test
	void cacheOutsideOfTheLockAnswersWithoutIt() throws Exception {
		Work work = start(true, CacheOutside.class);
		int first = work.cached("x");
		try (Lease busy = this.locks.acquire("cached:x", LockOptions.defaults())) {
			assertThat(work.cached("x")).isEqualTo(first);
			assertThat(busy.isValid()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	@Tag("boot4") // @Retryable is new in Spring Framework 7
	void allTogetherStandInOneOrder(boolean classProxy) throws Exception {
		Work work = work(classProxy);
		CompletableFuture<List<String>> attempts = new CompletableFuture<>();
		work.everything(attempts);
		assertThat(attempts.get(10, TimeUnit.SECONDS)).hasSize(2)
			.doesNotHaveDuplicates()
			.allMatch((attempt) -> attempt.startsWith("in transaction, async, token "));
	}

	@Test
	void interruptReachesTheMethodWhenRedisLosesTheLock() {
		Work work = work(true);
		CountDownLatch entered = new CountDownLatch(1);
		CompletableFuture<Void> deleted = CompletableFuture.runAsync(() -> {
			try {
				assertThat(entered.await(10, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
			RedisServers.shared().commands().del("{%s}lock:interrupted".formatted(PREFIX));
		}, (task) -> new Thread(task).start());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> work.interrupted(entered))
			.satisfies((lost) -> assertThat(lost.getSuppressed()).hasOnlyElementsOfType(InterruptedException.class));
		assertThat(deleted).succeedsWithin(10, TimeUnit.SECONDS);
		assertThat(Thread.interrupted()).isFalse();
	}

	@Test
	void scheduledJobRunsInOneOfTwoInstances() {
		Job.RUNS.set(0);
		start(true, Nightly.class);
		start(true, Nightly.class);
		List<AtomicInteger> attempts = this.started.stream()
			.map((context) -> context.getBean(Attempts.class).finished)
			.toList();
		await().until(() -> attempts.stream().allMatch((finished) -> finished.get() >= 3));
		assertThat(Job.RUNS).hasValue(1);
	}

	private Work work(boolean classProxy) {
		ConfigurableApplicationContext context = defaults.computeIfAbsent(classProxy,
				(classProxies) -> run(classProxies, Defaults.class));
		this.locks = context.getBean(LockRegistry.class);
		return work(context, classProxy);
	}

	private Work start(boolean classProxy, Class<?> configuration) {
		ConfigurableApplicationContext context = run(classProxy, configuration);
		this.started.add(context);
		this.locks = context.getBean(LockRegistry.class);
		return work(context, classProxy);
	}

	private static ConfigurableApplicationContext run(boolean classProxy, Class<?> configuration) {
		RedisServer redis = RedisServers.shared();
		return new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "spring.data.redis.host=" + redis.host(),
					"spring.data.redis.port=" + redis.port(), "distributed-lock.key-prefix=" + PREFIX,
					"spring.aop.proxy-target-class=" + classProxy)
			.run();
	}

	private static Work work(ConfigurableApplicationContext context, boolean classProxy) {
		Work work = context.getBean(Work.class);
		assertThat(AopUtils.isCglibProxy(work)).isEqualTo(classProxy);
		return work;
	}

	private static boolean isLocked(String key) {
		return RedisServers.shared().commands().exists("{%s}lock:%s".formatted(PREFIX, key)) == 1;
	}

	interface Work {

		List<String> transactional();

		void async(CompletableFuture<Thread> ran, CountDownLatch finish) throws InterruptedException;

		CompletableFuture<String> future(CompletableFuture<Thread> ran, CompletableFuture<String> inner);

		// Through an interface proxy, Spring looks for this one at the interface only.
		@Retryable(maxRetries = 2, delay = 1)
		void retried(List<Long> tokens);

		int cached(String id);

		@Retryable(maxRetries = 1, delay = 1)
		void everything(CompletableFuture<List<String>> attempts);

		void interrupted(CountDownLatch entered) throws InterruptedException;

	}

	static class Worker implements Work {

		private final AtomicInteger made = new AtomicInteger();

		private final List<String> attempts = Collections.synchronizedList(new ArrayList<>());

		@Override
		@Transactional
		@DistributedLock("transactional")
		public List<String> transactional() {
			List<String> events = new ArrayList<>();
			LockScope scope = LockScope.current();
			events.add("in transaction, locked: " + scope.isValid());
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCompletion(int status) {
					events.add("completed, locked: " + scope.isValid());
				}

			});
			return events;
		}

		@Override
		@Async
		@DistributedLock("async")
		public void async(CompletableFuture<Thread> ran, CountDownLatch finish) throws InterruptedException {
			LockScope.current().checkValid();
			ran.complete(Thread.currentThread());
			assertThat(finish.await(10, TimeUnit.SECONDS)).isTrue();
		}

		@Override
		@Async
		@DistributedLock("future")
		public CompletableFuture<String> future(CompletableFuture<Thread> ran, CompletableFuture<String> inner) {
			ran.complete(Thread.currentThread());
			return inner;
		}

		@Override
		@DistributedLock(key = "retried", waitTime = "0s")
		public void retried(List<Long> tokens) {
			tokens.add(LockScope.current().fencingToken());
			throw new IllegalStateException("again");
		}

		@Override
		@Cacheable("made")
		@DistributedLock(key = "cached:#{#id}", waitTime = "0s")
		public int cached(String id) {
			return this.made.incrementAndGet();
		}

		@Override
		@Async
		@Transactional
		@DistributedLock("everything")
		public void everything(CompletableFuture<List<String>> done) {
			this.attempts.add("%s, %s, token %d".formatted(
					TransactionSynchronizationManager.isActualTransactionActive() ? "in transaction" : "bare",
					Thread.currentThread().getName().contains("main") ? "called" : "async",
					LockScope.current().fencingToken()));
			if (this.attempts.size() == 1) {
				throw new IllegalStateException("again");
			}
			done.complete(this.attempts);
		}

		@Override
		@DistributedLock(key = "interrupted", ttl = "1s", onLost = OnLost.INTERRUPT)
		public void interrupted(CountDownLatch entered) throws InterruptedException {
			entered.countDown();
			assertThat(new CountDownLatch(1).await(10, TimeUnit.SECONDS)).isTrue();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Common {

		@Bean
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().setType(EmbeddedDatabaseType.H2).generateUniqueName(true).build();
		}

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		ConcurrentMapCacheManager cacheManager() {
			return new ConcurrentMapCacheManager();
		}

		@Bean
		Work work() {
			return new Worker();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Common.class)
	@EnableTransactionManagement
	@EnableCaching
	@EnableAsync
	@EnableResilientMethods
	static class Defaults {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Defaults.class)
	static class RecordedRetries {

		@Bean
		Retries retries() {
			return new Retries();
		}

	}

	static class Retries {

		private final List<Throwable> failures = new ArrayList<>();

		private Runnable onFailure = () -> {
		};

		@EventListener
		void failed(MethodRetryEvent event) {
			this.failures.add(event.getFailure());
			this.onFailure.run();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Common.class)
	@EnableTransactionManagement(order = 0)
	static class TransactionOutside {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Common.class)
	@EnableCaching(order = 0)
	static class CacheOutside {

	}

	static class Job {

		static final AtomicInteger RUNS = new AtomicInteger();

		@Scheduled(fixedDelay = 20)
		@DistributedLock(key = "nightly", waitTime = "0s", minHold = "1m", onBusy = OnBusy.SKIP)
		public void nightly() {
			RUNS.incrementAndGet();
		}

	}

	record Attempts(AtomicInteger finished) {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Common.class)
	@EnableScheduling
	static class Nightly {

		@Bean
		Job job() {
			return new Job();
		}

		@Bean
		Attempts attempts() {
			return new Attempts(new AtomicInteger());
		}

		@Bean
		ThreadPoolTaskScheduler taskScheduler(Attempts attempts) {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setTaskDecorator((task) -> () -> {
				task.run();
				attempts.finished().incrementAndGet();
			});
			return scheduler;
		}

	}

}
