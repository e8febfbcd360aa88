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
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoreStatus.State;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
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

	private final ApplicationContextRunner memory = this.actuator.withPropertyValues("distributed-lock.store=memory");

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

	@Test
	void keysAreShownToThoseWhoMaySeeThem() {
		this.memory
			.withPropertyValues("management.endpoint.locks.show-values=when-authorized",
					"management.endpoint.locks.roles=ADMIN")
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				try (Lease lease = context.getBean(LockRegistry.class).acquire("stock:42", LockOptions.defaults())) {
					assertThat(heldKeys(endpoint, user("ADMIN"))).containsExactly(lease.key());
					assertThat(heldKeys(endpoint, user("CLERK"))).containsExactly(SanitizableData.SANITIZED_VALUE);
					assertThat(heldKeys(endpoint, SecurityContext.NONE))
						.containsExactly(SanitizableData.SANITIZED_VALUE);
				}
			});
	}

	@Test
	void sanitizingFunctionsHideSomeKeys() {
		SanitizingFunction customers = (
				data) -> "key".equals(data.getKey()) && String.valueOf(data.getValue()).startsWith("customer:")
						? data.withValue("a customer") : data;
		this.memory.withBean(SanitizingFunction.class, () -> customers)
			.withPropertyValues("management.endpoint.locks.show-values=always")
			.run((context) -> {
				LockRegistry locks = context.getBean(LockRegistry.class);
				try (Lease customer = locks.acquire("customer:7", LockOptions.defaults());
						Lease stock = locks.acquire("stock:42", LockOptions.defaults())) {
					assertThat(List.of(customer, stock)).allMatch(Lease::isValid);
					assertThat(heldKeys(context.getBean(LocksEndpoint.class), SecurityContext.NONE))
						.containsExactlyInAnyOrder("a customer", "stock:42");
				}
			});
	}

	@Test
	void endpointSaysWhyTheStoreDidNotAnswer() {
		LockInspector inspector = mock();
		given(inspector.inspect("silent"))
			.willReturn(CompletableFuture.failedFuture(new LockStoreException("No answer", true, null)));
		given(inspector.inspect("own"))
			.willReturn(CompletableFuture.failedFuture(new UnsupportedOperationException("Cannot be inspected")));
		LocksEndpoint endpoint = new LocksEndpoint(() -> inspector, List.of(), Show.ALWAYS, Set.of(), true);
		assertThat(endpoint.lock(null, "silent")).satisfies((response) -> {
			assertThat(response.getStatus()).isEqualTo(503);
			assertThat(response.getBody()).isEqualTo(new LocksEndpoint.ProblemDescriptor("No answer"));
		});
		assertThat(endpoint.lock(null, "own")).satisfies((response) -> {
			assertThat(response.getStatus()).isEqualTo(501);
			assertThat(response.getBody()).isEqualTo(new LocksEndpoint.ProblemDescriptor("Cannot be inspected"));
		});
	}

	@Test
	void virtualThreadThatHasEndedIsShownAsSuch() throws ReflectiveOperationException, InterruptedException {
		assumeTrue(Runtime.version().feature() >= 21, "There are no virtual threads");
		Thread holder = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
			.invoke(null, (Runnable) () -> {
			});
		holder.join();
		LockInspector inspector = mock();
		given(inspector.instanceId()).willReturn("app");
		given(inspector.held()).willReturn(List
			.of(new LockInspector.HeldLock("stock:42", "stock", "app:1", 1, Instant.EPOCH, Instant.EPOCH, holder)));
		LocksEndpoint endpoint = new LocksEndpoint(() -> inspector, List.of(), Show.ALWAYS, Set.of(), false);
		assertThat(held(endpoint, SecurityContext.NONE)).singleElement()
			.extracting(LocksEndpoint.HeldDescriptor::thread)
			.isEqualTo(new LocksEndpoint.ThreadDescriptor(holder.getId(), holder.getName(), true,
					Thread.State.TERMINATED));
	}

	private static List<String> heldKeys(LocksEndpoint endpoint, SecurityContext user) {
		return held(endpoint, user).stream().map(LocksEndpoint.HeldDescriptor::key).toList();
	}

	private static List<LocksEndpoint.HeldDescriptor> held(LocksEndpoint endpoint, SecurityContext user) {
		OperationResponseBody body = endpoint.locks(user, null, null, null, null).getBody();
		return ((LocksEndpoint.LocksDescriptor) body).held();
	}

	private static SecurityContext user(String role) {
		SecurityContext user = mock();
		given(user.getPrincipal()).willReturn(mock(Principal.class));
		given(user.isUserInRole(role)).willReturn(true);
		return user;
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
