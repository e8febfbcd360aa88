// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockAcquiredEvent;
import io.lockstarter.LockBusyEvent;
import io.lockstarter.LockListener;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockReleasedEvent;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.Mockito.mock;

/**
 * Metrics and frequent events, where an application asks for them.
 */
class LockMetricsAutoConfigurationTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final ApplicationContextRunner memory = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LockInterceptorAutoConfiguration.class, LockDisabledAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	@Test
	void locksAreMeasuredIfThereIsAMeterRegistry() {
		this.memory.withBean(SimpleMeterRegistry.class).run((context) -> {
			context.getBean(LockRegistry.class).call("k", LockOptions.defaults(), (scope) -> true);
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.get("distributed.lock.acquire")
				.tag("outcome", "acquired")
				.tag("source", "store")
				.timer()
				.count()).isOne();
			assertThat(meters.get("distributed.lock.active").gauge().value()).isZero();
		});
	}

	@Test
	void nothingIsMeasuredWithoutAMeterRegistryWithoutMicrometerOrWithoutLocks() {
		this.memory.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class));
		this.memory.withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean("lockMetrics");
			context.getBean(LockRegistry.class).tryAcquire("k", ONCE).orElseThrow().close();
		});
		this.memory.withBean(SimpleMeterRegistry.class)
			.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class));
		this.memory.withBean(SimpleMeterRegistry.class)
			.withBean(LockRegistry.class, () -> mock())
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(LockMetrics.class));
	}

	@Test
	void ownMetricsReplaceOurs() {
		LockMetrics own = new LockMetrics(new SimpleMeterRegistry());
		this.memory.withBean(SimpleMeterRegistry.class)
			.withBean("own", LockMetrics.class, () -> own)
			.run((context) -> assertThat(context.getBean(LockMetrics.class)).isSameAs(own));
	}

	@Test
	void allEventsArePublishedIfThePropertySaysSo() {
		this.memory.withUserConfiguration(Events.class)
			.withPropertyValues("distributed-lock.publish-all-events=true")
			.run((context) -> {
				acquireOnceInVain(context.getBean(LockRegistry.class));
				Events events = context.getBean(Events.class);
				await().until(() -> events.published.size() == 3);
				assertThat(events.published).containsExactly("acquired k unnamed", "busy k unnamed", "released k");
			});
	}

	@Test
	void onlyLossesArePublishedByDefault() {
		this.memory.withUserConfiguration(Events.class).run((context) -> {
			assertThat(context).doesNotHaveBean(FrequentLockEventPublisher.class);
			acquireOnceInVain(context.getBean(LockRegistry.class));
			assertThat(context.getBean(Events.class).published).isEmpty();
		});
	}

	@Test
	void listenerBeanIsToldOfAllEventsIfItImplementsOneOfTheirMethods() {
		this.memory.withBean(Counter.class).run((context) -> {
			acquireOnceInVain(context.getBean(LockRegistry.class));
			Counter counter = context.getBean(Counter.class);
			await().until(() -> !counter.told.isEmpty());
			assertThat(counter.told).containsExactly("k");
		});
	}

	@Test
	void frequentEventsAreToldByTheTypesOfTheBeans() {
		this.memory.withBean(Counter.class)
			.run((context) -> assertThat(listeners(context.getBeanFactory()))
				.filteredOn((listener) -> DefaultLockRegistry.tellsAllTo(listener.getClass()))
				.hasSize(1));
		this.memory.run((context) -> assertThat(listeners(context.getBeanFactory()))
			.noneMatch((listener) -> DefaultLockRegistry.tellsAllTo(listener.getClass())));
	}

	private static List<LockListener> listeners(ListableBeanFactory beans) {
		return new LockListeners(beans).all();
	}

	private static void acquireOnceInVain(LockRegistry locks) throws InterruptedException {
		try (Lease lease = locks.acquire("k", ONCE)) {
			assertThat(locks.tryAcquire("k", ONCE)).isEmpty();
			assertThat(lease.isValid()).isTrue();
		}
	}

	static class Counter implements LockListener {

		private final Queue<String> told = new ConcurrentLinkedQueue<>();

		@Override
		public void released(LeaseInfo lease, Duration held) {
			this.told.add(lease.key());
		}

	}

	static class Events {

		private final Queue<String> published = new ConcurrentLinkedQueue<>();

		@EventListener
		void acquired(LockAcquiredEvent event) {
			this.published.add("acquired " + event.lease().key() + " " + event.lease().name());
		}

		@EventListener
		void busy(LockBusyEvent event) {
			this.published.add("busy " + event.key() + " " + event.name());
		}

		@EventListener
		void released(LockReleasedEvent event) {
			this.published.add("released " + event.lease().key());
		}

	}

}
