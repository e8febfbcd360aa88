// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockScope;
import io.lockstarter.LockSetupException;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Methods that share their keys, on a registry in memory.
 */
class SharedMethodsTest {

	private static final LockOptions SHARED = LockOptions.defaults()
		.withMode(LockMode.SHARED)
		.withWaitTime(Duration.ZERO);

	private final DefaultLockRegistry registry = new DefaultLockRegistry("app", new MemoryLockStore(),
			RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());

	@AfterEach
	void stop() {
		this.registry.stop();
	}

	@Test
	void methodSharesItsKeyWithOthersAndNotWithOneThatHasItAlone() throws InterruptedException {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Catalog.class)) {
			Catalog catalog = context.bean(Catalog.class);
			try (Lease other = this.registry.acquire("catalog:7", SHARED)) {
				assertThat(catalog.read(7, LockScope::current).fencingToken()).isEqualTo(other.fencingToken());
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> catalog.change(7));
			}
			try (Lease other = this.registry.acquire("catalog:7")) {
				assertThat(other.isValid()).isTrue();
				assertThatExceptionOfType(LockNotAcquiredException.class)
					.isThrownBy(() -> catalog.read(7, LockScope::current));
			}
			catalog.change(7);
		}
	}

	@Test
	void methodMayCallAnotherThatSharesButNoneThatIsAlone() {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Catalog.class)) {
			Catalog catalog = context.bean(Catalog.class);
			assertThat(catalog.<Boolean>read(7, () -> catalog.read(7, () -> true))).isTrue();
			assertThatIllegalStateException().isThrownBy(() -> catalog.read(7, () -> {
				catalog.change(7);
				return true;
			})).withMessageContaining("catalog:7").withMessageContaining("shared");
			assertThat(catalog.<Boolean>changeAndRead(7, () -> catalog.read(7, () -> true))).isTrue();
			assertThat(this.registry.leaseCount()).isZero();
		}
	}

	@Test
	void severalKeysAreShared() throws InterruptedException {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Catalog.class);
				Lease other = this.registry.acquire("catalog:8", SHARED)) {
			assertThat(context.bean(Catalog.class).compare(7, 8)).extracting(Lease::key)
				.containsExactly("catalog:7", "catalog:8");
			assertThat(other.isValid()).isTrue();
		}
	}

	@Test
	void methodSharesOneKeyAndHasAnotherAlone() throws InterruptedException {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Catalog.class);
				Lease other = this.registry.acquire("catalog", SHARED)) {
			Catalog catalog = context.bean(Catalog.class);
			assertThat(catalog.<Boolean>changeOne(7, () -> isFree("catalog:7"))).isFalse();
			assertThat(isFree("catalog:7")).isTrue();
			assertThat(other.isValid()).isTrue();
		}
	}

	private boolean isFree(String key) {
		CompletableFuture<Lease> lease = this.registry.acquireAsync(key, SHARED);
		try {
			lease.get(10, TimeUnit.SECONDS).close();
			return true;
		}
		catch (ExecutionException ex) {
			assertThat(ex).hasCauseInstanceOf(LockNotAcquiredException.class);
			return false;
		}
		catch (InterruptedException | TimeoutException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void asynchronousMethodsShareTheirKeys() throws InterruptedException {
		try (LockedContext context = LockedContext.withClassProxies(this.registry, Catalog.class)) {
			Catalog catalog = context.bean(Catalog.class);
			CompletableFuture<String> end = new CompletableFuture<>();
			CompletableFuture<String> first = catalog.later(7, end);
			assertThat(catalog.reactive(7).block()).isEqualTo("read");
			assertThat(this.registry.tryAcquire("catalog:7")).isEmpty();
			end.complete("later");
			assertThat(first.join()).isEqualTo("later");
		}
	}

	@Test
	void whatCannotBeIsRefusedAtTheStart() {
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> LockedContext.withClassProxies(this.registry, Kept.class))
			.withCauseInstanceOf(LockSetupException.class)
			.withMessageContaining("Kept.run")
			.withMessageContaining("minHold");
		DefaultLockRegistry exclusive = new DefaultLockRegistry("app", exclusiveStore(), RegistrySettings.defaults(),
				List.of());
		assertThatExceptionOfType(BeanCreationException.class)
			.isThrownBy(() -> LockedContext.withClassProxies(exclusive, Catalog.class))
			.withCauseInstanceOf(LockSetupException.class)
			.withMessageContaining("Catalog.")
			.withMessageContaining("mode = SHARED cannot be used")
			.withMessageContaining("migration");
		exclusive.stop();
	}

	private static LockStore exclusiveStore() {
		LockStore store = new MemoryLockStore();
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("isShareable")) {
						return false;
					}
					return method.invoke(store, arguments);
				});
	}

	static class Catalog {

		@DistributedLock(key = "catalog:#{#id}", mode = LockMode.SHARED, waitTime = "0s")
		public <T> T read(long id, Supplier<T> reading) {
			return reading.get();
		}

		@DistributedLock(key = "catalog:#{#id}", waitTime = "0s")
		public void change(long id) {
		}

		@DistributedLock(key = "catalog:#{#id}", waitTime = "0s")
		public <T> T changeAndRead(long id, Supplier<T> reading) {
			return reading.get();
		}

		@DistributedLock(key = { "catalog:#{#first}", "catalog:#{#second}" }, mode = LockMode.SHARED)
		public List<Lease> compare(long first, long second) {
			return LockScope.current().leases();
		}

		@DistributedLock(key = "catalog", mode = LockMode.SHARED)
		@DistributedLock(key = "catalog:#{#id}")
		public <T> T changeOne(long id, Supplier<T> change) {
			return change.get();
		}

		@DistributedLock(key = "catalog:#{#id}", mode = LockMode.SHARED)
		public CompletableFuture<String> later(long id, CompletableFuture<String> end) {
			return end;
		}

		@DistributedLock(key = "catalog:#{#id}", mode = LockMode.SHARED)
		public Mono<String> reactive(long id) {
			return Mono.just("read");
		}

	}

	static class Kept {

		@DistributedLock(key = "kept", mode = LockMode.SHARED, minHold = "5s")
		public void run() {
		}

	}

}
