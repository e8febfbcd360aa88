/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.lockstarter.autoconfigure;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoreStatus.State;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Health, endpoint and metrics, by the registries that there are.
 */
class LockActuatorTest {

	private static final String HEALTH = "distributedLockHealthIndicator";

	private final ApplicationContextRunner health = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockHealthAutoConfiguration.class));

	private final ApplicationContextRunner actuator = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LockHealthAutoConfiguration.class, LockEndpointAutoConfiguration.class))
		.withBean(SimpleMeterRegistry.class)
		.withPropertyValues("management.endpoints.web.exposure.include=locks");

	@Test
	void severalRegistriesHaveNeitherGaugesNorHealthNorEndpoint() {
		this.actuator.withBean("first", DefaultLockRegistry.class, LockActuatorTest::registry)
			.withBean("second", DefaultLockRegistry.class, LockActuatorTest::registry)
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(HEALTH).doesNotHaveBean(LocksEndpoint.class);
				assertThat(context.getBean(SimpleMeterRegistry.class).find("distributed.lock.active").gauge()).isNull();
			});
	}

	@Test
	void primaryOneOfSeveralRegistriesHasThem() {
		this.actuator
			.withBean("first", DefaultLockRegistry.class, LockActuatorTest::registry,
					(definition) -> definition.setPrimary(true))
			.withBean("second", DefaultLockRegistry.class, LockActuatorTest::registry)
			.run((context) -> {
				assertThat(context).hasNotFailed().hasSingleBean(LockMetrics.class).hasSingleBean(LocksEndpoint.class);
				assertThat(context.getBean(SimpleMeterRegistry.class).find("distributed.lock.active").gauge())
					.isNotNull();
				assertThat(health(context)).contains("UP")
					.contains("instance=" + context.getBean("first", DefaultLockRegistry.class).instanceId());
			});
	}

	@ParameterizedTest
	@CsvSource({ "ANSWERING, UP", "SILENT, UNKNOWN", "UNAVAILABLE, DOWN", "STOPPED, OUT_OF_SERVICE" })
	void healthIsThatOfTheStore(State state, String status) {
		StoreStatus store = new StoreStatus(state, null, null, null, Duration.ofSeconds(30), null);
		this.health.withBean(LockInspector.class, () -> inspector(CompletableFuture.completedFuture(store)))
			.run((context) -> assertThat(health(context)).startsWith(status + " ")
				.contains("instance=app")
				.contains("store=" + state.name().toLowerCase(Locale.ROOT)));
	}

	@Test
	void healthThatCannotBeToldIsDown() {
		this.health
			.withBean(LockInspector.class,
					() -> inspector(CompletableFuture.failedFuture(new IllegalStateException("broken"))))
			.run((context) -> assertThat(health(context)).startsWith("DOWN ").contains("broken"));
	}

	@Test
	void healthMayBeSwitchedOff() {
		ApplicationContextRunner health = this.health.withBean(LockInspector.class,
				() -> inspector(new CompletableFuture<>()));
		health.run((context) -> assertThat(context).hasBean(HEALTH));
		health.withPropertyValues("management.health.distributed-lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(HEALTH));
		ApplicationContextRunner none = health.withPropertyValues("management.health.defaults.enabled=false");
		none.run((context) -> assertThat(context).doesNotHaveBean(HEALTH));
		none.withPropertyValues("management.health.distributed-lock.enabled=true")
			.run((context) -> assertThat(context).hasBean(HEALTH));
	}

	private static LockInspector inspector(CompletableFuture<StoreStatus> status) {
		LockInspector inspector = mock();
		given(inspector.instanceId()).willReturn("app");
		given(inspector.checkStore()).willReturn(status);
		return inspector;
	}

	/**
	 * Return the health, whose types depend on the version of Spring Boot.
	 */
	private static String health(ApplicationContext context) throws ReflectiveOperationException {
		Object indicator = context.getBean(HEALTH);
		Method method = ClassUtils.getInterfaceMethodIfPossible(indicator.getClass().getMethod("health"),
				indicator.getClass());
		return String.valueOf(method.invoke(indicator));
	}

	private static DefaultLockRegistry registry() {
		return new DefaultLockRegistry("app" + System.nanoTime(), new MemoryLockStore(), RegistrySettings.defaults(),
				List.of());
	}

}
