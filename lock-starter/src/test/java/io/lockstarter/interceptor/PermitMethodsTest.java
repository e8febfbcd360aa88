// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.DistributedPermit;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Methods that run with a permit, on a registry in memory.
 */
class PermitMethodsTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final MemoryLockStore store = new MemoryLockStore();

	private final DefaultLockRegistry registry = new DefaultLockRegistry("app", this.store,
			RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());

	private final List<Lease> taken = new ArrayList<>();

	@AfterEach
	void stop() {
		this.registry.stop();
	}

	@Test
	void methodRunsWithAPermitOfItsKeyAndGivesItBack() {
		try (LockedContext context = context(Limited.class)) {
			Lease permit = context.bean(Limited.class).run(7);
			assertThat(permit.key()).startsWith("permit:checkout:7:");
			assertThat(permit.name()).isEqualTo("Limited.run");
			assertThat(permit.ttl()).isEqualTo(Duration.ofSeconds(5));
			assertThat(permit.isValid()).isFalse();
			assertThat(available("checkout:7")).isEqualTo(2);
		}
	}

	@Test
	void noMoreThanTheLimitRun() throws Exception {
		try (LockedContext context = context(Limited.class)) {
			Limited limited = context.bean(Limited.class);
			take("checkout:7", 2, 1);
			assertThat(limited.run(7).key()).startsWith("permit:checkout:7:");
			take("checkout:7", 2, 1);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> limited.run(7))
				.withMessageContaining("all permits are taken, 2 of 2");
			assertThat(limited.run(8).key()).startsWith("permit:checkout:8:");
			assertThat(limited.skipped()).isNotNull();
			take("skipped", 2, 2);
			assertThat(limited.skipped()).isNull();
			take("refused", 2, 2);
			assertThat(limited.refused(3)).isEqualTo("refused 3");
		}
	}

	@Test
	void nestedCallNeedsAnotherPermit() {
		try (LockedContext context = context(Limited.class)) {
			Limited limited = context.bean(Limited.class);
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> limited.nested(limited));
		}
	}

	@Test
	void limitMayBeAProperty() throws Exception {
		try (LockedContext context = context(Configured.class)) {
			take("configured", 3, 3);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.bean(Configured.class).run());
		}
	}

	@Test
	void annotationMayBeMadeOfOursAndBesideALock() throws Exception {
		try (LockedContext context = context(Composed.class)) {
			assertThat(context.bean(Composed.class).run()).hasSize(1)
				.allMatch((key) -> key.startsWith("permit:payments:"));
			assertThat(context.bean(Composed.class).both(() -> this.registry.permits("payments", 4).available().join()))
				.isEqualTo("order, 3 free");
			take("payments", 4, 4);
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> context.bean(Composed.class).run());
		}
	}

	@Test
	void futureKeepsItsPermitUpToItsCompletion() {
		try (LockedContext context = context(Asynchronous.class)) {
			Asynchronous asynchronous = context.bean(Asynchronous.class);
			CompletableFuture<String> result = asynchronous.future();
			assertThat(available("async")).isZero();
			assertThat(catchThrowable(asynchronous.future()::join)).hasCauseInstanceOf(LockNotAcquiredException.class);
			asynchronous.finish();
			assertThat(result.join()).isEqualTo("done");
			assertThat(available("async")).isOne();
			assertThat(asynchronous.mono(() -> available("async")).block()).isZero();
			assertThat(available("async")).isOne();
		}
	}

	@Test
	void waitThatIsInterruptedIsToldAsTheMethodDeclares() throws Exception {
		try (LockedContext context = context(Limited.class)) {
			take("patient", 2, 2);
			Thread.currentThread().interrupt();
			assertThatExceptionOfType(LockInterruptedException.class)
				.isThrownBy(() -> context.bean(Limited.class).patient());
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	@Test
	void permitThatIsLostIsReported() {
		try (LockedContext context = context(Losing.class)) {
			Losing losing = context.bean(Losing.class);
			LockLostException lost = catchThrowableOfType(LockLostException.class,
					() -> losing.run((key) -> this.registry.forceRelease(key, null).join()));
			assertThat(lost.key()).startsWith("permit:losing:");
		}
	}

	@Test
	void permitThatTheStoreForgotIsReportedAtTheRelease() {
		try (LockedContext context = context(Losing.class)) {
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> context.bean(Losing.class)
				.run((key) -> this.store.release(new LockStore.Release(key, "app", owner(key), false)).join()));
		}
	}

	private String owner(String key) {
		return this.registry.inspect(key).join().lock().ownerIds().get(0);
	}

	@Test
	void methodMayGiveItsPermitBackEarly() {
		try (LockedContext context = context(Losing.class)) {
			assertThat(context.bean(Losing.class).early()).isEqualTo("early");
			assertThat(available("losing")).isOne();
		}
	}

	@Test
	void permitIsGivenBackAfterItsMethodUnlessItIsToStayForTheTransaction() {
		try (LockedContext context = context(Phases.class)) {
			Phases phases = context.bean(Phases.class);
			TransactionSynchronizationManager.initSynchronization();
			TransactionSynchronizationManager.setActualTransactionActive(true);
			phases.method();
			assertThat(available("phases")).isOne();
			phases.transaction();
			assertThat(available("phases")).isZero();
			TransactionSynchronizationUtils.triggerAfterCompletion(TransactionSynchronization.STATUS_COMMITTED);
			assertThat(available("phases")).isOne();
		}
		finally {
			TransactionSynchronizationManager.clear();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "65", "-1", "many", "1.5", "99999999999", "" })
	void whatIsNoLimitFailsTheStart(String limit) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> LockedContext.withProperties(this.registry, Map.of("limit", limit), Configured.class))
			.havingRootCause()
			.isInstanceOf(LockSetupException.class)
			.withMessageContaining("@DistributedPermit")
			.withMessageContaining("limit = \"${limit:3}\" (that is, \"%s\") is no limit of permits", limit)
			.withMessageContaining("Write a number from 1 to 64");
	}

	@Test
	void aPermitHasOneKey() {
		try (LockedContext context = context(Several.class)) {
			assertThatIllegalArgumentException().isThrownBy(() -> context.bean(Several.class).run(List.of(1, 2)))
				.withMessageContaining("A permit has one key, but here are 2: [1, 2]");
		}
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> context(WithoutKey.class))
			.havingRootCause()
			.isInstanceOf(LockSetupException.class)
			.withMessageContaining("it has no key");
	}

	private LockedContext context(Class<?> bean) {
		return LockedContext.withClassProxies(this.registry, bean);
	}

	private int available(String key) {
		return this.registry.permits(key, key.equals("checkout:7") ? 2 : 1).available().join();
	}

	private void take(String key, int limit, int count) throws InterruptedException {
		for (int i = 0; i < count; i++) {
			this.taken.add(this.registry.permits(key, limit, ONCE).tryAcquire().orElseThrow());
		}
	}

	static class Limited {

		@DistributedPermit(key = "checkout:#{#shop}", limit = "2", ttl = "5s", waitTime = "0s")
		public Lease run(int shop) {
			assertThat(LockScope.current().isValid()).isTrue();
			return LockScope.current().leases().get(0);
		}

		@DistributedPermit(key = "skipped", limit = "2", waitTime = "0s", onBusy = OnBusy.SKIP)
		public @Nullable String skipped() {
			return "ran";
		}

		@DistributedPermit(key = "refused", limit = "2", waitTime = "0s", fallback = "refusal")
		public String refused(int shop) {
			return "ran " + shop;
		}

		String refusal(int shop) {
			return "refused " + shop;
		}

		@DistributedPermit(key = "patient", limit = "2", waitTime = "1m")
		public void patient() {
		}

		@DistributedPermit(key = "nested", limit = "1", waitTime = "0s")
		public void nested(Limited self) {
			self.nested(self);
		}

	}

	static class Configured {

		@DistributedPermit(key = "configured", limit = "${limit:3}", waitTime = "0s")
		public void run() {
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedPermit(key = "payments", limit = "4", waitTime = "0s")
	@interface Payment {

		@AliasFor(annotation = DistributedPermit.class)
		String ttl() default "";

	}

	static class Composed {

		@Payment(ttl = "5s")
		public List<String> run() {
			return LockScope.current().leases().stream().map(Lease::key).toList();
		}

		@Payment
		@DistributedLock("order")
		public String both(Supplier<Integer> look) {
			return LockScope.current().leases().get(0).key() + ", " + look.get() + " free";
		}

	}

	static class Asynchronous {

		private final CompletableFuture<String> work = new CompletableFuture<>();

		@DistributedPermit(key = "async", limit = "1", waitTime = "0s")
		public CompletableFuture<String> future() {
			return this.work;
		}

		public void finish() {
			this.work.complete("done");
		}

		@DistributedPermit(key = "async", limit = "1", waitTime = "0s")
		public Mono<Integer> mono(Supplier<Integer> look) {
			return Mono.fromSupplier(look);
		}

	}

	static class Losing {

		@DistributedPermit(key = "losing", limit = "1", onLost = OnLost.FAIL)
		public void run(Consumer<String> thief) {
			thief.accept(LockScope.current().leases().get(0).key());
		}

		@DistributedPermit(key = "losing", limit = "1", onLost = OnLost.FAIL)
		public String early() {
			LockScope.current().leases().get(0).close();
			return "early";
		}

	}

	static class Phases {

		@DistributedPermit(key = "phases", limit = "1", waitTime = "0s")
		public void method() {
		}

		@DistributedPermit(key = "phases", limit = "1", waitTime = "0s", releasePhase = ReleasePhase.AFTER_TRANSACTION)
		public void transaction() {
		}

	}

	static class Several {

		@DistributedPermit(key = "#{#ids}", limit = "2")
		public void run(List<Integer> ids) {
		}

	}

	static class WithoutKey {

		@DistributedPermit(key = "", limit = "2")
		public void run() {
		}

	}

}
