// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoreStatus.State;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.actuate.LockDescriptors;
import io.lockstarter.actuate.LocksEndpoint;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.EventListener;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Health, endpoint and metrics, by the registries that there are.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockActuatorTest {

	private static final String HEALTH = "distributedLockHealthIndicator";

	private final ApplicationContextRunner health = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(LockHealthAutoConfiguration.class, LegacyLockHealthAutoConfiguration.class));

	private final ApplicationContextRunner actuator = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockMetricsAutoConfiguration.class,
				LockHealthAutoConfiguration.class, LegacyLockHealthAutoConfiguration.class,
				LockEndpointAutoConfiguration.class))
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
	@CsvSource({ "ANSWERING, UP", "SILENT, UNKNOWN", "REFUSING, DOWN", "UNAVAILABLE, DOWN", "STOPPED, OUT_OF_SERVICE" })
	void healthIsThatOfTheStore(State state, String status) {
		StoreStatus store = new StoreStatus(state, null, null, null, Duration.ofSeconds(30), null);
		this.health.withBean(LockInspector.class, () -> inspector(CompletableFuture.completedFuture(store)))
			.run((context) -> assertThat(health(context)).startsWith(status + " ")
				.contains("instance=app")
				.contains((state == State.ANSWERING) ? "locks=can be acquired" : "locks=")
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
	void tableOfStatusesNamesAllThatThereAre() throws IOException {
		String page = Files.readString(Path.of("../docs/monitoring.md"));
		String table = page.substring(page.indexOf("\n## Health"));
		assertThat(table.lines().filter((line) -> line.startsWith("| `") && Character.isUpperCase(line.charAt(3))))
			.extracting((line) -> line.split("`", -1)[1])
			.containsExactly("UP", "DOWN", "UNKNOWN", "OUT_OF_SERVICE");
		assertThat(Stream.of(State.values()).map((state) -> "`%s`".formatted(state.name().toLowerCase(Locale.ROOT))))
			.allMatch(table::contains);
	}

	@Test
	void tableOfParametersNamesAllThatThereAre() throws IOException {
		String page = Files.readString(Path.of("../docs/endpoint.md"));
		String table = page.substring(page.indexOf("| parameter |"), page.indexOf("A request that"));
		Method list = Stream.of(LocksEndpoint.class.getMethods())
			.filter((method) -> method.getName().equals("locks"))
			.findFirst()
			.orElseThrow();
		assertThat(Stream.concat(
				table.lines().filter((line) -> line.startsWith("| `")).map((line) -> line.split("`", -1)[1]),
				Stream.of("scope", "key", "securityContext")))
			.containsExactlyInAnyOrderElementsOf(Stream.of(list.getParameters()).map(Parameter::getName).toList());
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
		LocksEndpoint endpoint = new LocksEndpoint(() -> inspector, List.of(), Show.ALWAYS, Set.of(), true, (event) -> {
		});
		assertThat(endpoint.lock(null, "silent")).satisfies((response) -> {
			assertThat(response.getStatus()).isEqualTo(503);
			assertThat(response.getBody()).isEqualTo(new LockDescriptors.ProblemDescriptor("No answer"));
		});
		assertThat(endpoint.lock(null, "own")).satisfies((response) -> {
			assertThat(response.getStatus()).isEqualTo(501);
			assertThat(response.getBody()).isEqualTo(new LockDescriptors.ProblemDescriptor("Cannot be inspected"));
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
		LocksEndpoint endpoint = new LocksEndpoint(() -> inspector, List.of(), Show.ALWAYS, Set.of(), false,
				(event) -> {
				});
		assertThat(held(endpoint, SecurityContext.NONE)).singleElement()
			.extracting(LockDescriptors.HeldDescriptor::thread)
			.isEqualTo(new LockDescriptors.ThreadDescriptor(holder.getId(), holder.getName(), true,
					Thread.State.TERMINATED));
	}

	@Test
	void rolesGovernForceReleaseAndTheTrailSaysWhoAsked(CapturedOutput output) {
		this.memory
			.withPropertyValues("distributed-lock.endpoint.force-release=true", "management.endpoint.locks.roles=ADMIN")
			.withBean(AuditTrail.class)
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				AuditTrail trail = context.getBean(AuditTrail.class);
				try (Lease lease = context.getBean(LockRegistry.class).acquire("stock:42", LockOptions.defaults())) {
					assertThat(endpoint.release(SecurityContext.NONE, "stock:42", null).getStatus()).isEqualTo(403);
					assertThat(endpoint.release(user("CLERK"), "stock:42", null)).satisfies((response) -> {
						assertThat(response.getStatus()).isEqualTo(403);
						assertThat(response.getBody()).asString().contains("'management.endpoint.locks.roles'");
					});
					assertThat(lease.isValid()).isTrue();
					assertThat(endpoint.release(user("ADMIN"), "stock:42", lease.ownerId()).getStatus()).isEqualTo(204);
					assertThat(lease.isValid()).isFalse();
					assertThat(trail.events()).extracting(AuditEvent::getPrincipal)
						.containsExactly("anonymous", "the CLERK", "the ADMIN");
					assertThat(trail.events()).extracting(AuditEvent::getType).containsOnly("LOCK_FORCE_RELEASE");
					assertThat(trail.events()).extracting((event) -> event.getData().get("status"))
						.containsExactly(403, 403, 204);
					assertThat(trail.events().get(2).getData()).containsEntry("key", "stock:42")
						.containsEntry("owner", lease.ownerId());
					assertThat(output).contains(
							"A release of lock 'stock:42' by force was asked for by 'anonymous', and answered with 403",
							"A release of lock 'stock:42' by force was asked for by 'the CLERK', and answered with 403",
							"A release of lock 'stock:42' by force was asked for by 'the ADMIN', and answered with 204");
				}
			});
	}

	@Test
	void requestIsInTheTrailAlsoWhereNoneMayBeReleased(CapturedOutput output) {
		this.memory.withBean(AuditTrail.class).run((context) -> {
			LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
			assertThat(endpoint.release(user("eve\n2026"), "stock:42", null).getStatus()).isEqualTo(403);
			assertThat(context.getBean(AuditTrail.class).events()).singleElement()
				.satisfies((event) -> assertThat(event.getData()).containsEntry("status", 403)
					.hasEntrySatisfying("message", (message) -> assertThat(message.toString())
						.contains("'distributed-lock.endpoint.force-release' is false")));
			assertThat(output).contains("was asked for by 'the eve\\u000a2026', and answered with 403");
		});
	}

	@Test
	void listenerThatFailsChangesNothingOfTheAnswer(CapturedOutput output) {
		this.memory.withPropertyValues("distributed-lock.endpoint.force-release=true")
			.withBean(BrokenTrail.class)
			.run((context) -> {
				try (Lease lease = context.getBean(LockRegistry.class).acquire("stock:42", LockOptions.defaults())) {
					assertThat(
							context.getBean(LocksEndpoint.class).release(user("ADMIN"), lease.key(), null).getStatus())
						.isEqualTo(204);
				}
				assertThat(output).contains("A listener failed to keep the audit event").contains("the disk is full");
			});
	}

	@Test
	void whatWasNotCarriedOutIsInTheTrail() {
		this.memory.withPropertyValues("distributed-lock.endpoint.force-release=true")
			.withBean(AuditTrail.class)
			.run((context) -> {
				LocksEndpoint endpoint = context.getBean(LocksEndpoint.class);
				endpoint.release(user("any"), "nobody\n2026 ERROR admin: FORGED", null);
				endpoint.release(user("any"), "nobody", null);
				assertThat(context.getBean(AuditTrail.class).events())
					.extracting((event) -> event.getData().get("status"), (event) -> event.getData().get("key"))
					.containsExactly(tuple(400, "nobody\\u000a2026 ERROR admin: FORGED"), tuple(404, "nobody"));
			});
	}

	@Test
	void manyLocksAreLimitedAndCountedInFull() {
		List<HeldLock> held = IntStream.range(0, 1500)
			.mapToObj((i) -> heldLock("stock:" + i, (i % 2 == 0) ? "even" : "odd", i))
			.toList();
		List<WaitingCaller> waiting = Stream
			.concat(IntStream.range(0, 1200).mapToObj((i) -> waitingCaller("stock:7", i)),
					IntStream.range(0, 2).mapToObj((i) -> waitingCaller("stock:8", i)))
			.toList();
		LocksEndpoint endpoint = endpoint(inspectorOfHeld(held, waiting), Show.ALWAYS);
		LockDescriptors.LocksDescriptor first = locks(endpoint, null, null, null, null);
		assertThat(first.counts()).isEqualTo(new LockDescriptors.CountsDescriptor(1500, 1500, 1202, 1202));
		assertThat(first.held()).hasSize(100)
			.extracting(LockDescriptors.HeldDescriptor::key)
			.startsWith("stock:7", "stock:8", "stock:0", "stock:1");
		assertThat(first.held().get(0).waiters()).isEqualTo(1200);
		assertThat(first.waiting()).hasSize(100).allMatch((caller) -> "stock:7".equals(caller.key()));
		assertThat(locks(endpoint, 3, "stock:14", null, LocksEndpoint.Sort.KEY)).satisfies(
				(page) -> assertThat(page.counts()).isEqualTo(new LockDescriptors.CountsDescriptor(1500, 111, 1202, 0)))
			.satisfies((page) -> assertThat(page.held()).extracting(LockDescriptors.HeldDescriptor::key)
				.containsExactly("stock:14", "stock:140", "stock:1400"));
		assertThat(locks(endpoint, 2, null, "odd", LocksEndpoint.Sort.AGE).held())
			.extracting(LockDescriptors.HeldDescriptor::key)
			.containsExactly("stock:1", "stock:3");
		assertThat(locks(endpoint, 1000, null, null, null).held()).hasSize(1000);
		assertThat(get(endpoint, null, 0, null, null, null).getStatus()).isEqualTo(400);
		assertThat(get(endpoint, null, 1001, null, null, null).getStatus()).isEqualTo(400);
	}

	@Test
	void callersOfOneKeyAreLimitedAndCountedInFull() {
		LockInspector inspector = inspectorOfHeld(List.of(heldLock("stock:7", "stock", 0)),
				IntStream.range(0, 1200).mapToObj((i) -> waitingCaller("stock:7", i)).toList());
		given(inspector.inspect("stock:7")).willReturn(CompletableFuture.completedFuture(new StoredLockDetails(
				new StoredLock("stock:7", List.of("app:1"), false, null, null), List.of(), null)));
		LockDescriptors.LockDescriptor lock = (LockDescriptors.LockDescriptor) endpoint(inspector, Show.NEVER)
			.lock(null, "stock:7")
			.getBody();
		assertThat(lock.waiting()).hasSize(1000);
		assertThat(lock.waitingCount()).isEqualTo(1200);
		assertThat(lock.held().waiters()).isEqualTo(1200);
	}

	@Test
	void hiddenKeysAreNotFoundByTheirBeginning() {
		LockInspector inspector = inspectorOfHeld(List.of(heldLock("customer:7", "customer", 0)), List.of());
		assertThat(get(endpoint(inspector, Show.NEVER), null, null, "customer:7", null, null)).satisfies((response) -> {
			assertThat(response.getStatus()).isEqualTo(403);
			assertThat(response.getBody()).asString().contains("'management.endpoint.locks.show-values'");
		});
		given(inspector.scan("customer:7", null, 100)).willReturn(CompletableFuture.completedFuture(
				new StoredLocks(List.of(new StoredLock("customer:7", List.of("app:1"), false, null, null)), null)));
		LocksEndpoint sanitized = new LocksEndpoint(() -> inspector, List.of((data) -> data.withValue("a customer")),
				Show.ALWAYS, Set.of(), true, (event) -> {
				});
		assertThat(locks(sanitized, null, "customer:7", null, null)).satisfies((page) -> {
			assertThat(page.held()).isEmpty();
			assertThat(page.counts().heldMatching()).isZero();
		});
		assertThat(((LockDescriptors.StoredLocksDescriptor) get(sanitized, LocksEndpoint.Scope.ALL, null, "customer:7",
				null, null)
			.getBody()).all()).isEmpty();
	}

	@Test
	void whatOthersWroteIntoTheStoreIsShownWithEscapes() {
		LockInspector inspector = inspectorOfHeld(List.of(), List.of());
		given(inspector.scan("", null, 100)).willReturn(CompletableFuture.completedFuture(new StoredLocks(
				List.of(new StoredLock("a\u009bkey", List.of("an\u202eowner"), false, null, null)), null)));
		assertThat(((LockDescriptors.StoredLocksDescriptor) get(endpoint(inspector, Show.ALWAYS),
				LocksEndpoint.Scope.ALL, null, null, null, null)
			.getBody()).all()).singleElement()
			.isEqualTo(new LockDescriptors.StoredDescriptor("a\\u009bkey", "an\\u202eowner", null, null));
	}

	@Test
	void pagesOfTheStoreHaveNeitherNamesNorAnOrder() {
		LocksEndpoint endpoint = endpoint(inspectorOfHeld(List.of(), List.of()), Show.ALWAYS);
		assertThat(get(endpoint, LocksEndpoint.Scope.ALL, null, null, "stock", null).getStatus()).isEqualTo(400);
		assertThat(get(endpoint, LocksEndpoint.Scope.ALL, null, null, null, LocksEndpoint.Sort.AGE).getStatus())
			.isEqualTo(400);
	}

	private static LockInspector inspectorOfHeld(List<HeldLock> held, List<WaitingCaller> waiting) {
		LockInspector inspector = mock();
		given(inspector.instanceId()).willReturn("app");
		given(inspector.held()).willReturn(held);
		given(inspector.waiting()).willReturn(waiting);
		return inspector;
	}

	private static HeldLock heldLock(String key, String name, int age) {
		return new HeldLock(key, name, "app:1", 1, Instant.EPOCH.plusSeconds(age), Instant.EPOCH, null);
	}

	private static WaitingCaller waitingCaller(String key, int age) {
		return new WaitingCaller(key, "stock", Instant.EPOCH.plusSeconds(age), null, null);
	}

	private static LocksEndpoint endpoint(LockInspector inspector, Show show) {
		return new LocksEndpoint(() -> inspector, List.of(), show, Set.of(), true, (event) -> {
		});
	}

	private static LockDescriptors.LocksDescriptor locks(LocksEndpoint endpoint, Integer limit, String prefix,
			String name, LocksEndpoint.Sort sort) {
		return (LockDescriptors.LocksDescriptor) get(endpoint, null, limit, prefix, name, sort).getBody();
	}

	private static WebEndpointResponse<OperationResponseBody> get(LocksEndpoint endpoint, LocksEndpoint.Scope scope,
			Integer limit, String prefix, String name, LocksEndpoint.Sort sort) {
		return endpoint.locks(SecurityContext.NONE, null, scope, null, limit, prefix, name, sort);
	}

	private static List<String> heldKeys(LocksEndpoint endpoint, SecurityContext user) {
		return held(endpoint, user).stream().map(LockDescriptors.HeldDescriptor::key).toList();
	}

	private static List<LockDescriptors.HeldDescriptor> held(LocksEndpoint endpoint, SecurityContext user) {
		OperationResponseBody body = endpoint.locks(user, null, null, null, null, null, null, null).getBody();
		return ((LockDescriptors.LocksDescriptor) body).held();
	}

	private static SecurityContext user(String role) {
		SecurityContext user = mock();
		given(user.getPrincipal()).willReturn(() -> "the " + role);
		given(user.isUserInRole(role)).willReturn(true);
		return user;
	}

	/**
	 * Keeps audit events, as a repository of the application does.
	 */
	static final class AuditTrail {

		private final List<AuditEvent> events = new ArrayList<>();

		@EventListener
		void add(AuditApplicationEvent event) {
			this.events.add(event.getAuditEvent());
		}

		List<AuditEvent> events() {
			return this.events;
		}

	}

	/**
	 * Cannot keep audit events.
	 */
	static final class BrokenTrail implements ApplicationListener<AuditApplicationEvent> {

		@Override
		public void onApplicationEvent(AuditApplicationEvent event) {
			throw new IllegalStateException("the disk is full");
		}

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
