// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.Ordered;

import io.lockstarter.Lease;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.interceptor.DistributedLockAdvisor;
import io.lockstarter.interceptor.LockValidation;
import io.lockstarter.testkit.PlainLockServices;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Methods that finish later, in two applications on one Redis: the other one is shut out
 * up to the end, nobody's thread waits, and nothing is left behind.
 */
class LaterMethodsTest {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final RedisServer redis = RedisServers.start();

	private final Instance here = new Instance(this.redis.port());

	private final Instance there = new Instance(this.redis.port());

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final Work work = start();

	private Work start() {
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(this.context);
		AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(this.context);
		this.context.registerBean(DistributedLockAdvisor.class,
				() -> new DistributedLockAdvisor(new PlainLockServices(this.here.registry()) {

					@Override
					public Executor executor() {
						return ForkJoinPool.commonPool();
					}

				}, LockOptions.MAX_DURATION, this.context.getBeanFactory(), LockValidation.FAIL,
						Ordered.LOWEST_PRECEDENCE - 1000),
				(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
		this.context.register(Work.class);
		this.context.refresh();
		return this.context.getBean(Work.class);
	}

	@AfterEach
	void close() {
		this.context.close();
		this.here.close();
		this.there.close();
		assertThat(this.here.events()).noneMatch((event) -> event.startsWith("abandoned"));
		this.redis.close();
	}

	@Test
	void futureIsExclusiveAcrossInstancesUntilItIsComplete() throws Exception {
		CompletableFuture<String> inner = new CompletableFuture<>();
		CompletableFuture<String> result = this.work.future(inner);
		await().until(() -> isLocked("k"));
		assertThat(this.there.registry().tryAcquire("k", ONCE)).isEmpty();
		inner.complete("done");
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(isLocked("k")).as("when the result is there").isFalse();
	}

	@Test
	void publisherIsExclusiveAcrossInstancesUntilItIsComplete() throws Exception {
		Sinks.One<String> inner = Sinks.one();
		CompletableFuture<String> result = this.work.mono(inner.asMono()).toFuture();
		await().until(() -> isLocked("k"));
		assertThat(this.there.registry().tryAcquire("k", ONCE)).isEmpty();
		inner.tryEmitValue("done").orThrow();
		assertThat(result.get(10, TimeUnit.SECONDS)).isEqualTo("done");
		assertThat(isLocked("k")).as("when the result is there").isFalse();
	}

	@Test
	void thousandWaitingCallsNeedNoThreads() throws Exception {
		Lease other = this.there.registry().acquire("k", LockOptions.defaults());
		int before = ManagementFactory.getThreadMXBean().getThreadCount();
		CountDownLatch done = new CountDownLatch(1_000);
		IntStream.range(0, 500).forEach((i) -> {
			this.work.counted().doFinally((signal) -> done.countDown()).subscribe();
			var unused = this.work.countedFuture().whenComplete((value, failure) -> done.countDown());
		});
		await().until(() -> this.redis.commands().zscore("{lock}queue:k", this.here.id()) != null);
		assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - before).isLessThan(20);
		assertThat(this.work.calls()).hasValue(0);
		other.close();
		assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.work.calls()).hasValue(1_000);
		assertThat(this.work.most()).as("at once").hasValue(1);
		await().untilAsserted(() -> assertThat(this.redis.keys("{lock}lock:k*")).isSubsetOf("{lock}fence"));
	}

	@Test
	void callsThatAreCancelledAtAnyMomentLeaveNothingLocked() throws Exception {
		List<Disposable> subscriptions = new ArrayList<>();
		List<CompletableFuture<?>> futures = new ArrayList<>();
		for (int round = 0; round < 200; round++) {
			subscriptions.add(this.work.counted().subscribe());
			futures.add(this.work.countedFuture());
			subscriptions.add(this.work.flux(Flux.never()).subscribe());
			Lease other = (round % 10 == 0)
					? this.there.registry().acquireAsync("k", ONCE).exceptionally((ex) -> null).get() : null;
			int cancelled = ThreadLocalRandom.current().nextInt(subscriptions.size());
			subscriptions.get(cancelled).dispose();
			futures.get(ThreadLocalRandom.current().nextInt(futures.size())).cancel(true);
			if (other != null) {
				other.close();
			}
		}
		subscriptions.forEach(Disposable::dispose);
		futures.forEach((future) -> future.cancel(true));
		this.there.registry().acquire("k", LockOptions.defaults()).close();
		assertThat(this.work.most()).as("at once").hasValueLessThanOrEqualTo(1);
		await().until(() -> !isLocked("k"));
	}

	@Test
	void callThatTimesOutReleases() throws Exception {
		StepVerifier.create(this.work.mono(Mono.never()).timeout(Duration.ofMillis(300)))
			.expectError(TimeoutException.class)
			.verify(PATIENCE);
		this.there.registry().acquire("k", LockOptions.defaults()).close();
	}

	@Test
	void waitEndsWithTheWaitTime() throws Exception {
		try (Lease other = this.there.registry().acquire("k", LockOptions.defaults())) {
			StepVerifier.create(this.work.impatient())
				.expectErrorSatisfies((failure) -> assertThat(failure).isInstanceOf(LockNotAcquiredException.class))
				.verify(PATIENCE);
			assertThat(other.isValid()).isTrue();
		}
	}

	@Test
	void lossOfTheLockCancelsThePublisherAndTheFuture() {
		CompletableFuture<String> inner = new CompletableFuture<>();
		CompletableFuture<String> future = this.work.interruptedFuture(inner);
		StepVerifier.create(this.work.interruptedMono())
			.then(() -> await().until(() -> isLocked("lost") && isLocked("lost too")))
			.then(() -> this.redis.commands().del("{lock}lock:lost", "{lock}lock:lost too"))
			.expectError(LockLostException.class)
			.verify(PATIENCE);
		assertThatExceptionOfType(java.util.concurrent.ExecutionException.class)
			.isThrownBy(() -> future.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockLostException.class);
		await().until(inner::isCancelled);
	}

	private boolean isLocked(String key) {
		return this.redis.commands().exists("{lock}lock:" + key) == 1;
	}

	static class Work {

		private final AtomicInteger calls = new AtomicInteger();

		private final AtomicInteger running = new AtomicInteger();

		private final AtomicInteger most = new AtomicInteger();

		AtomicInteger calls() {
			return this.calls;
		}

		AtomicInteger most() {
			return this.most;
		}

		@DistributedLock("k")
		public CompletableFuture<String> future(CompletableFuture<String> inner) {
			return inner;
		}

		@DistributedLock("k")
		public Mono<String> mono(Mono<String> inner) {
			return inner;
		}

		@DistributedLock("k")
		public Flux<String> flux(Flux<String> inner) {
			return inner;
		}

		@DistributedLock(key = "k", waitTime = "60s")
		public Mono<Integer> counted() {
			return Mono.fromCallable(this::count);
		}

		@DistributedLock(key = "k", waitTime = "60s")
		public CompletableFuture<Integer> countedFuture() {
			return CompletableFuture.completedFuture(count());
		}

		private int count() {
			this.most.accumulateAndGet(this.running.incrementAndGet(), Math::max);
			try {
				return this.calls.incrementAndGet();
			}
			finally {
				this.running.decrementAndGet();
			}
		}

		@DistributedLock(key = "k", waitTime = "200ms")
		public Mono<String> impatient() {
			return Mono.just("run");
		}

		@DistributedLock(key = "lost", ttl = "3s", onLost = OnLost.INTERRUPT)
		public Mono<String> interruptedMono() {
			return Mono.never();
		}

		@DistributedLock(key = "lost too", ttl = "3s", onLost = OnLost.INTERRUPT)
		public CompletableFuture<String> interruptedFuture(CompletableFuture<String> inner) {
			return inner;
		}

	}

}
