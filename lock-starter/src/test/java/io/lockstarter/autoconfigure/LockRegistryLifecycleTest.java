// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockOptions;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.LeaderOnly;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.store.LockStore;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.leader.LeaderElections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * When the registry stops, and that it can start again.
 */
@SuppressWarnings("FutureReturnValueIgnored") // verified calls of a mock
@ExtendWith(OutputCaptureExtension.class)
class LockRegistryLifecycleTest {

	private static final RegistrySettings SETTINGS = RegistrySettings.defaults();

	private static final ContextRefreshedEvent REFRESHED = new ContextRefreshedEvent(new StaticApplicationContext());

	@Test
	void startIsLoggedWithWhatAnOperatorAsksFor(CapturedOutput output) {
		MemoryLockStore memory = new MemoryLockStore();
		DefaultLockRegistry registry = registry(memory);
		new LockRegistryLifecycle(registry, memory, SETTINGS).start();
		assertThat(output).contains("INFO")
			.contains("Instance '%s' acquires distributed locks (ttl: 30 s, wait time: 10 s)"
				.formatted(registry.instanceId()));
		registry.stop();
	}

	@Test
	void registryStopsAfterWhateverMayHoldLocksAndBeforeTheRedisConnections() {
		assertThat(LockRegistryLifecycle.PHASE).isLessThan(new ThreadPoolTaskExecutor().getPhase())
			.isLessThan(new ThreadPoolTaskScheduler().getPhase())
			.isLessThan(SmartLifecycle.DEFAULT_PHASE - 2048)
			.isGreaterThan(new LettuceConnectionFactory("127.0.0.1", 1).getPhase());
	}

	@Test
	void holderMayFinishWithinTheGraceTimeWhileTheStoreStillWorks() throws Exception {
		MemoryLockStore memory = new MemoryLockStore();
		DefaultLockRegistry registry = registry(memory);
		Lease lease = registry.acquire("k", LockOptions.defaults());
		LockRegistryLifecycle lifecycle = new LockRegistryLifecycle(registry, memory, SETTINGS);
		CountDownLatch stopped = new CountDownLatch(1);
		CompletableFuture<Void> stop = CompletableFuture.runAsync(() -> lifecycle.stop(stopped::countDown));
		assertThatIllegalStateException().isThrownBy(() -> {
			while (true) {
				registry.acquire("other", LockOptions.defaults()).close();
			}
		});
		assertThat(stopped.getCount()).isOne();
		assertThat(lease.releaseAsync().get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(stopped.await(5, TimeUnit.SECONDS)).isTrue();
		stop.get(5, TimeUnit.SECONDS);
	}

	@ParameterizedTest
	@ValueSource(strings = { "locked", "permitted", "async", "leading" })
	@Timeout(60)
	void methodThatClosesItsContextDoesNotWaitForItself(String way) {
		List<String> released = new CopyOnWriteArrayList<>();
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, LockAutoConfiguration.class,
					LeaderAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory", "distributed-lock.shutdown-grace=10m",
					"distributed-lock.leader.roles=closing")
			.withBean(Closing.class)
			.withBean("listener", LockListener.class, () -> new LockListener() {

				@Override
				public void released(LeaseInfo lease, Duration held) {
					released.add(lease.key());
				}

				@Override
				public void abandoned(LeaseInfo lease) {
					released.add("abandoned " + lease.key());
				}

			})
			.run((context) -> {
				Closing closing = context.getBean(Closing.class);
				await().until(() -> context.getBean(LeaderElections.class).of("closing").isLeader());
				switch (way) {
					case "locked" -> closing.locked();
					case "permitted" -> closing.permitted();
					case "async" -> closing.async().get(30, TimeUnit.SECONDS);
					default -> closing.leading();
				}
				assertThat(context.getSourceApplicationContext().isActive()).isFalse();
			});
		// listeners have a thread of their own
		await().untilAsserted(() -> assertThat(released).hasSize(way.equals("leading") ? 1 : 2));
		assertThat(released).noneMatch((event) -> event.startsWith("abandoned"));
	}

	@Test
	void storeIsClosedWithTheRegistry() {
		LockStore closing = mock();
		DefaultLockRegistry registry = registry(closing);
		new LockRegistryLifecycle(registry, closing, SETTINGS).stop();
		then(closing).should().close();
		assertThat(registry.isRunning()).isFalse();
	}

	@Test
	void stoppedRegistryLocksAgainOnceStarted() throws Exception {
		MemoryLockStore memory = new MemoryLockStore();
		DefaultLockRegistry registry = registry(memory);
		LockRegistryLifecycle lifecycle = new LockRegistryLifecycle(registry, memory, SETTINGS);
		assertThat(lifecycle.isRunning()).isFalse();
		registry.acquire("k", LockOptions.defaults().withWaitTime(Duration.ZERO)).close();
		lifecycle.start();
		assertThat(lifecycle.isRunning()).isTrue();
		lifecycle.stop();
		assertThat(lifecycle.isRunning()).isFalse();
		lifecycle.start();
		registry.acquire("k", LockOptions.defaults().withWaitTime(Duration.ZERO)).close();
		lifecycle.stop();
	}

	@Test
	void storeIsOpenedAsTheLastStepOfTheStart() {
		LockStore store = mock();
		given(store.open(any())).willReturn(CompletableFuture.completedFuture(null));
		LockRegistryLifecycle lifecycle = new LockRegistryLifecycle(registry(store), store, SETTINGS);
		lifecycle.start();
		then(store).should(never()).open(any());
		lifecycle.onApplicationEvent(REFRESHED);
		then(store).should().open(any());
		lifecycle.stop();
		lifecycle.onApplicationEvent(REFRESHED);
		then(store).should().open(any());
		lifecycle.start();
		then(store).should(times(2)).open(any());
	}

	@Test
	void contextOpensTheStoreOnce() {
		LockStore store = mock();
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(LockStore.class, () -> store)
			.run((context) -> then(store).should().open(any()));
	}

	@Test
	void othersAreToldOfTheRefreshWhenTheStoreIsBeingOpened() {
		LockStore store = mock();
		given(store.open(any())).willReturn(CompletableFuture.completedFuture(null));
		new ApplicationContextRunner().withBean(Refreshed.class, () -> new Refreshed(store))
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class))
			.withBean(LockStore.class, () -> store)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(Refreshed.class)
				.extracting((listener) -> listener.told)
				.isEqualTo(true));
	}

	@Test
	void registryOfAnotherKindIsLeftAlone() {
		LockStore store = mock();
		LockRegistryLifecycle lifecycle = new LockRegistryLifecycle(null, store, SETTINGS);
		lifecycle.start();
		lifecycle.onApplicationEvent(REFRESHED);
		lifecycle.stop();
		then(store).should().close();
	}

	private static DefaultLockRegistry registry(LockStore store) {
		return new DefaultLockRegistry("test", store, RegistrySettings.defaults(), List.of());
	}

	/**
	 * A listener of an application, whose beans come before those of auto-configurations.
	 */
	static class Refreshed implements ApplicationListener<ContextRefreshedEvent> {

		private final LockStore store;

		private boolean told;

		Refreshed(LockStore store) {
			this.store = store;
		}

		@Override
		public void onApplicationEvent(ContextRefreshedEvent event) {
			then(this.store).should().open(any());
			this.told = true;
		}

	}

	/**
	 * Closes the application while it runs under a lock.
	 */
	static class Closing {

		private final ConfigurableApplicationContext context;

		Closing(ConfigurableApplicationContext context) {
			this.context = context;
		}

		@DistributedLock("closing")
		public void locked() {
			this.context.close();
		}

		@DistributedPermit(key = "closing", limit = "1")
		public void permitted() {
			this.context.close();
		}

		@DistributedLock("closing")
		public CompletableFuture<Void> async() {
			this.context.close();
			return CompletableFuture.completedFuture(null);
		}

		@LeaderOnly("closing")
		public void leading() {
			this.context.close();
		}

	}

}
