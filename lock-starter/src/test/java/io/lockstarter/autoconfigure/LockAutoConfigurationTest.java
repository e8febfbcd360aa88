// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockLostEvent;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LossCause;
import io.lockstarter.ReleaseMode;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.store.LockStore;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

import static io.lockstarter.autoconfigure.RedisApplication.redisAutoConfiguration;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;

/**
 * What is set up, and what backs off.
 */
class LockAutoConfigurationTest {

	private final ApplicationContextRunner redis = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(redisAutoConfiguration(), LockAutoConfiguration.class,
				LockInterceptorAutoConfiguration.class, LockDisabledAutoConfiguration.class));

	private final ApplicationContextRunner memory = this.redis.withPropertyValues("distributed-lock.store=memory");

	@Test
	void registryOverTheRedisOfTheApplicationIsTheDefault() {
		this.redis.run((context) -> {
			assertThat(context).hasSingleBean(LockRegistry.class);
			assertThat(context.getBean(LockStore.class)).isInstanceOf(RedisLockStore.class);
			assertThat(context.getBean(DefaultLockRegistry.class).isRunning()).isTrue();
		});
	}

	@Test
	void setUpComesAfterThatOfRedisInThisVersionOfBoot() {
		assertThat(LockAutoConfiguration.class.getAnnotation(AutoConfiguration.class).afterName())
			.contains(redisAutoConfiguration().getName());
	}

	@Test
	void storeInMemoryTouchesNoRedisClass() {
		this.memory.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce"))
			.run((context) -> {
				assertThat(context.getBean(LockStore.class)).isInstanceOf(MemoryLockStore.class);
				String result = context.getBean(LockRegistry.class).call("k", LockOptions.defaults(), (scope) -> "ran");
				assertThat(result).isEqualTo("ran");
			});
	}

	@Test
	void userRegistryReplacesEverythingBehindIt() {
		LockRegistry registry = mock();
		this.redis.withBean(LockRegistry.class, () -> registry).run((context) -> {
			assertThat(context.getBean(LockRegistry.class)).isSameAs(registry);
			assertThat(context).doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(LockRegistryLifecycle.class)
				.doesNotHaveBean(LockSettings.class)
				.hasBean("distributedLockAdvisor");
		});
	}

	@Test
	void userStoreReplacesBothOfOurs() {
		LockStore store = store();
		this.redis.withBean(LockStore.class, () -> store).run((context) -> {
			assertThat(context.getBean(LockStore.class)).isSameAs(store);
			assertThat(context).hasSingleBean(DefaultLockRegistry.class);
		});
		this.memory.withBean(LockStore.class, () -> store)
			.run((context) -> assertThat(context.getBean(LockStore.class)).isSameAs(store));
	}

	@Test
	void disabledSetsUpNothingButANotice() {
		this.redis.withPropertyValues("distributed-lock.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockRegistry.class)
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean("distributedLockAdvisor")
				.hasBean("lockDisabledNotice");
		});
		this.memory.run((context) -> assertThat(context).doesNotHaveBean("lockDisabledNotice"));
	}

	@Test
	void defaultsAreThoseOfTheRegistryAndTheStore() {
		this.memory.run((context) -> {
			LockSettings settings = context.getBean(LockSettings.class);
			assertThat(settings.registry()).isEqualTo(RegistrySettings.defaults());
			assertThat(settings.redis()).isEqualTo(RedisStoreSettings.defaults());
			LockProperties properties = context.getBean(LockProperties.class);
			assertThat(properties.isEnabled()).isTrue();
			assertThat(properties.getOrder()).isEqualTo(Integer.MAX_VALUE - 1000);
		});
	}

	@Test
	void everyPropertyReachesTheSettings() {
		this.memory
			.withPropertyValues("distributed-lock.ttl=40s", "distributed-lock.wait-time=0s",
					"distributed-lock.drift=0.05", "distributed-lock.command-timeout=3s",
					"distributed-lock.poll-interval=7s", "distributed-lock.slice=8ms",
					"distributed-lock.shutdown-grace=PT1M", "distributed-lock.key-prefix=orders:lock",
					"distributed-lock.fence-retention=2h", "distributed-lock.connect-timeout=20s",
					"distributed-lock.release-mode=async", "distributed-lock.warn-after=4s",
					"distributed-lock.max-hold=30m", "distributed-lock.order=17",
					"distributed-lock.replicas-acknowledged=2")
			.run((context) -> {
				LockSettings settings = context.getBean(LockSettings.class);
				assertThat(settings.registry()).isEqualTo(RegistrySettings.defaults()
					.withTtl(Duration.ofSeconds(40))
					.withWaitTime(Duration.ZERO)
					.withDrift(0.05)
					.withCommandTimeout(Duration.ofSeconds(3))
					.withPollInterval(Duration.ofSeconds(7))
					.withSlice(Duration.ofMillis(8))
					.withShutdownGrace(Duration.ofMinutes(1))
					.withReleaseMode(ReleaseMode.ASYNC)
					.withWarnAfter(Duration.ofSeconds(4))
					.withMaxHold(Duration.ofMinutes(30)));
				assertThat(settings.redis().keyPrefix()).isEqualTo("orders:lock");
				assertThat(settings.redis().fenceRetention()).isEqualTo(Duration.ofHours(2));
				assertThat(settings.redis().connectTimeout()).isEqualTo(Duration.ofSeconds(20));
				assertThat(settings.redis().replicasAcknowledged()).isEqualTo(2);
				assertThat(settings.redis().acknowledgementTimeout()).as("a quarter of the command timeout")
					.isEqualTo(Duration.ofMillis(750));
				assertThat(context.getBean(LockProperties.class).getOrder()).isEqualTo(17);
			});
	}

	@Test
	void keyPrefixMayBeTheNameOfTheApplication() {
		this.memory
			.withPropertyValues("spring.application.name=orders",
					"distributed-lock.key-prefix=${spring.application.name}:lock")
			.run((context) -> assertThat(context.getBean(LockSettings.class).redis().keyPrefix())
				.isEqualTo("orders:lock"));
	}

	@Test
	void lossIsPublishedAsAnApplicationEvent() {
		List<LockLostEvent> events = new CopyOnWriteArrayList<>();
		ApplicationListener<?> listener = ApplicationListener.forPayload((LockLostEvent event) -> events.add(event));
		this.memory.withInitializer((context) -> context.addApplicationListener(listener)).run((context) -> {
			LockOptions options = LockOptions.defaults().withTtl(Duration.ofMillis(50)).withRenew(false);
			Lease lease = context.getBean(LockRegistry.class).acquire("k", options);
			await().untilAsserted(() -> assertThat(events).singleElement().satisfies((event) -> {
				assertThat(event.lease()).isSameAs(lease);
				assertThat(event.cause()).isEqualTo(LossCause.EXPIRED);
			}));
		});
	}

	@Test
	void listenersAreCollectedInOrderAfterTheOneThatLogs() {
		this.memory.withBean("b", LockListener.class, () -> new OrderedListener(2))
			.withBean("a", LockListener.class, () -> new OrderedListener(1))
			.run((context) -> {
				List<LockListener> listeners = context.getBeanProvider(LockListener.class).orderedStream().toList();
				assertThat(listeners).first().isInstanceOf(LoggingLockListener.class);
				assertThat(listeners.subList(1, 3)).extracting("order").containsExactly(1, 2);
				assertThat(listeners).last().isInstanceOf(LockEventPublisher.class);
			});
	}

	@Test
	void storeIsClosedAndRegistryStoppedWhenTheContextCloses() {
		LockStore store = store();
		List<DefaultLockRegistry> registries = new ArrayList<>();
		this.memory.withBean(LockStore.class, () -> store)
			.run((context) -> registries.add(context.getBean(DefaultLockRegistry.class)));
		assertThat(registries).singleElement().returns(false, DefaultLockRegistry::isRunning);
		then(store).should(atLeastOnce()).close();
	}

	record OrderedListener(int order) implements LockListener, Ordered {

		@Override
		public int getOrder() {
			return this.order;
		}

	}

	private static LockStore store() {
		LockStore store = mock();
		given(store.open(any())).willReturn(CompletableFuture.completedFuture(null));
		return store;
	}

}
