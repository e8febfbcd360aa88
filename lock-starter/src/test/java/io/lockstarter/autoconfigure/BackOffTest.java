// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.LockInspector;
import io.lockstarter.LockListener;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.fence.LockFence;
import io.lockstarter.interceptor.DistributedLockAdvisor;
import io.lockstarter.interceptor.LockValidation;
import io.lockstarter.interceptor.LockedBeans;
import io.lockstarter.interceptor.TransactionFence;
import io.lockstarter.leader.LeaderElections;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.observe.LockMetrics;
import io.lockstarter.observe.LockObservations;
import io.lockstarter.store.LockStore;
import io.lockstarter.testkit.PlainLockServices;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Each bean that an application may have in place of one of ours: it is used, and ours is
 * not there.
 */
class BackOffTest {

	private static final LockRegistry REGISTRY = new DefaultLockRegistry("mine", new MemoryLockStore(),
			RegistrySettings.defaults(), List.of());

	private static final LeaderElections ELECTIONS = new LeaderElections(() -> REGISTRY, LockOptions::defaults);

	private static final DefaultListableBeanFactory BEANS = new DefaultListableBeanFactory();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class,
				LeaderAutoConfiguration.class, LockDisabledAutoConfiguration.class,
				LockTransactionAutoConfiguration.class, LockFenceAutoConfiguration.class,
				LockMetricsAutoConfiguration.class, LockObservationAutoConfiguration.class,
				LockWebAutoConfiguration.class, LockEndpointAutoConfiguration.class, LockHealthAutoConfiguration.class,
				LegacyLockHealthAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withBean(ObservationRegistry.class, ObservationRegistry::create)
		.withBean(DriverManagerDataSource.class, () -> new DriverManagerDataSource("jdbc:h2:mem:back-off"))
		.withPropertyValues("distributed-lock.store=memory", "distributed-lock.publish-all-events=true",
				"distributed-lock.problem-details=true", "management.endpoints.web.exposure.include=locks");

	static Stream<Arguments> beansOfTheApplication() {
		return Stream.of(byType(LockRegistry.class, () -> REGISTRY), byType(LockStore.class, MemoryLockStore::new),
				byType(LeaderElections.class, () -> ELECTIONS),
				byType(DistributedLockAdvisor.class, BackOffTest::advisor),
				byType(LockedBeans.class, () -> new LockedBeans(advisor(), BEANS, (environment) -> true)),
				byType(LockFence.class,
						() -> new LockFence(() -> new DriverManagerDataSource("jdbc:h2:mem:mine"), "fences", "lock")),
				byType(TransactionFence.class, () -> (scope, method) -> null),
				byType(LockMetrics.class, () -> new LockMetrics(new SimpleMeterRegistry())),
				byType(LockObservations.class, () -> new LockObservations(ObservationRegistry.NOOP, null, null, false)),
				byType(LeaseContext.class, () -> (lease, action) -> action.run()),
				byType(LocksEndpoint.class, () -> new LocksEndpoint(() -> (LockInspector) REGISTRY, List.of(),
						Show.ALWAYS, Set.of(), false, (event) -> {
						})),
				arguments("distributedLockHealthIndicator", Object.class, (Supplier<Object>) Object::new),
				arguments("loggingLockListener", LockListener.class, (Supplier<LockListener>) Listener::new),
				arguments("lockEventPublisher", LockListener.class, (Supplier<LockListener>) Listener::new),
				arguments("frequentLockEventPublisher", LockListener.class, (Supplier<LockListener>) Listener::new),
				arguments("leaderEvents", LeadershipListener.class,
						(Supplier<LeadershipListener>) () -> new LeadershipListener() {
						}),
				arguments("lockGauges", SmartInitializingSingleton.class,
						(Supplier<SmartInitializingSingleton>) () -> () -> {
						}),
				arguments("lockProblems", Object.class, (Supplier<Object>) Object::new));
	}

	private static <T> Arguments byType(Class<T> type, Supplier<T> bean) {
		return arguments("mine", type, bean);
	}

	@ParameterizedTest
	@MethodSource("beansOfTheApplication")
	<T> void beanOfTheApplicationIsUsedInPlaceOfOurs(String name, Class<T> type, Supplier<T> supplier) {
		T bean = supplier.get();
		this.runner.withBean(name, type, () -> bean).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(name)).isSameAs(bean);
			if (name.equals("mine")) {
				assertThat(context).hasSingleBean(type);
			}
		});
	}

	@Test
	void noticeOfTheApplicationIsUsedInPlaceOfOurs() {
		SmartInitializingSingleton bean = () -> {
		};
		this.runner.withPropertyValues("distributed-lock.enabled=false")
			.withBean("lockDisabledNotice", SmartInitializingSingleton.class, () -> bean)
			.run((context) -> assertThat(context).getBean("lockDisabledNotice").isSameAs(bean));
	}

	private static DistributedLockAdvisor advisor() {
		return new DistributedLockAdvisor(new PlainLockServices(REGISTRY), LockOptions.MAX_DURATION, BEANS,
				LockValidation.FAIL, 0);
	}

	static class Listener implements LockListener {

	}

}
