// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.test;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * {@link LockTester} without Spring.
 */
class LockTesterTest {

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final LockTester tester = LockTester.create();

	private final LockRegistry registry = this.tester.registry();

	@AfterEach
	void reset() {
		this.tester.reset();
		this.tester.close();
	}

	@Test
	void closedTesterLeavesNoThreads() throws InterruptedException {
		Set<Thread> before = Thread.getAllStackTraces().keySet();
		this.registry.acquire("a", ONCE).close();
		this.tester.hold("b");
		Set<Thread> begun = new HashSet<>(Thread.getAllStackTraces().keySet());
		begun.removeAll(before);
		assertThat(begun).hasSizeGreaterThan(1);
		this.tester.close();
		await().untilAsserted(() -> assertThat(begun).noneMatch(Thread::isAlive));
	}

	@Test
	void heldKeyIsBusyUntilItIsClosed() throws InterruptedException {
		try (Lease busy = this.tester.hold("k")) {
			assertThat(this.tester.isHeld("k")).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.registry.acquire("k", ONCE))
				.satisfies((ex) -> assertThat(ex.holders()).containsExactly(busy.ownerId()));
		}
		assertThat(this.tester.isHeld("k")).isFalse();
		this.registry.acquire("k", ONCE).close();
	}

	@Test
	void heldKeyIsBusyForTheSameThreadToo() {
		Lease busy = this.tester.hold("k");
		assertThat(this.registry.obtain("k").tryLock()).isFalse();
		assertThat(busy.isValid()).isTrue();
	}

	@Test
	void callerWaitsForAHeldKeyAndGetsItWhenItIsReleased() throws Exception {
		Lease busy = this.tester.hold("k");
		CompletableFuture<Lease> waiting = this.registry.acquireAsync("k", LockOptions.defaults());
		assertThat(this.tester.waiting()).extracting(LockInspector.WaitingCaller::key).containsExactly("k");
		busy.close();
		waiting.get(10, TimeUnit.SECONDS).close();
	}

	@Test
	void holdWaitsForTheApplication() throws Exception {
		Lease lease = this.registry.acquire("k", ONCE);
		CompletableFuture<Lease> hold = CompletableFuture.supplyAsync(() -> this.tester.hold("k"));
		await().until(() -> !((LockInspector) this.tester.otherInstance()).waiting().isEmpty());
		lease.close();
		assertThat(hold.get(10, TimeUnit.SECONDS).isValid()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void leaseIsLostAtOnce(boolean renew) throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE.withRenew(renew));
		CompletableFuture<LossCause> cause = new CompletableFuture<>();
		lease.onLost(cause::complete);
		this.tester.lose("k");
		assertThat(lease.isValid()).isFalse();
		assertThat(this.tester.isHeld("k")).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::checkValid);
		assertThat(cause.join()).isEqualTo(LossCause.TAKEN);
	}

	@Test
	void sectionCanLoseItsLeaseByItself() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.registry.call("k", ONCE, (scope) -> {
			this.tester.lose("k");
			LockScope.current().checkValid();
			return null;
		}));
		assertThat(this.registry.<Boolean, RuntimeException>call("k", ONCE, (scope) -> LockScope.current().isValid()))
			.isTrue();
	}

	@Test
	void takenKeyBelongsToTheOtherInstanceWithALargerToken() throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE);
		CompletableFuture<Lease> next = this.registry.acquireAsync("k", LockOptions.defaults());
		Lease taken = this.tester.takeOver("k");
		assertThat(lease.isValid()).isFalse();
		assertThat(taken.isValid()).isTrue();
		assertThat(taken.fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(next).isNotDone();
		taken.close();
		assertThat(next.join().fencingToken()).isGreaterThan(taken.fencingToken());
	}

	@Test
	void nothingCanBeLostThatIsNotHeld() throws InterruptedException {
		this.registry.acquire("other", ONCE);
		this.registry.acquire("k", ONCE).close();
		assertThatIllegalStateException().isThrownBy(() -> this.tester.lose("k"))
			.withMessage(
					"Lock 'k' cannot be lost: the application holds only [other]. Lose it in a stub that the locked method calls");
		assertThatIllegalStateException().isThrownBy(() -> LockTester.create().lose("k"))
			.withMessageContaining("the application holds no lock.");
	}

	@Test
	void everythingFailsAtOnceWhileTheStoreIsUnavailable() throws InterruptedException {
		Lease lease = this.registry.acquire("held", ONCE);
		Lease releasedMeanwhile = this.registry.acquire("k", ONCE);
		try (LockTester.Outage outage = this.tester.makeUnavailable()) {
			assertThat(outage).isNotNull();
			LockOptions patient = LockOptions.defaults().withWaitTime(LockOptions.MAX_DURATION);
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.registry.acquire("free", patient))
				.withMessage("Lock 'free': the store is unavailable, as the test wants it");
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.registry.obtainAll(List.of("a", "b"), patient).acquire());
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> lease.extend(Duration.ofMinutes(1)));
			assertThat(lease.isValid()).as("held up to its deadline").isTrue();
			assertThatIllegalStateException().isThrownBy(() -> this.tester.lose("held"))
				.withMessageContaining("while the store is unavailable");
			releasedMeanwhile.close();
			assertThat(this.tester.isHeld("k")).isTrue();
		}
		assertThat(lease.extend(Duration.ofMinutes(1))).isTrue();
		assertThat(this.tester.isHeld("k")).as("release is repeated").isFalse();
		this.registry.acquire("k", ONCE).close();
		this.registry.acquire("free", ONCE).close();
	}

	@Test
	void leaseIsLostAtItsDeadlineIfTheStoreStaysUnavailable() throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE.withTtl(Duration.ofMillis(100)));
		CompletableFuture<LossCause> cause = new CompletableFuture<>();
		lease.onLost(cause::complete);
		this.tester.makeUnavailable();
		assertThat(cause.join()).isNotNull();
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void acquisitionsAreRecorded() throws InterruptedException {
		this.registry.acquire("a", ONCE.withName("first")).close();
		this.registry.call("b", ONCE, (scope) -> null);
		Lease held = this.registry.acquire("a", ONCE);
		this.tester.hold("c");
		assertThat(this.tester.acquired()).extracting(Lease::key).containsExactly("a", "b", "a");
		assertThat(this.tester.acquired("a")).extracting(Lease::name)
			.containsExactly("first", LockOptions.DEFAULT_NAME);
		assertThat(this.tester.acquired("a")).extracting(Lease::isValid).containsExactly(false, true);
		assertThat(this.tester.acquired("a")).extracting(Lease::fencingToken).isSorted();
		assertThat(this.tester.acquired("c")).isEmpty();
		held.close();
	}

	@Test
	void resetLeavesWhatTheApplicationHolds() throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE);
		Lease hold = this.tester.hold("h");
		this.tester.makeUnavailable();
		this.tester.reset();
		assertThat(hold.isValid()).isFalse();
		assertThat(this.tester.acquired()).isEmpty();
		assertThat(lease.extend(Duration.ofMinutes(1))).isTrue();
		this.tester.lose("k");
		assertThat(lease.isValid()).isFalse();
	}

	@Test
	void resetFreesWhatIsKeptForAMinimumHold() throws InterruptedException {
		this.registry.acquire("k", ONCE.withMinHold(Duration.ofHours(1))).close();
		assertThat(this.tester.isHeld("k")).isTrue();
		assertThat(this.registry.tryAcquire("k", ONCE)).isEmpty();
		this.tester.reset();
		assertThat(this.tester.isHeld("k")).isFalse();
		this.registry.acquire("k", ONCE).close();
	}

	@Test
	void nextResetFreesWhatTheApplicationStillHeld() throws InterruptedException {
		Lease lease = this.registry.acquire("k", ONCE.withMinHold(Duration.ofHours(1)));
		this.tester.reset();
		this.tester.reset();
		assertThat(lease.isValid()).isTrue();
		lease.close();
		assertThat(this.tester.isHeld("k")).isTrue();
		this.tester.reset();
		assertThat(this.tester.isHeld("k")).isFalse();
	}

	@Test
	void everyCommandOfAStoreIsDelegated() {
		List<String> missing = Arrays.stream(LockStore.class.getMethods())
			.filter((method) -> !Modifier.isStatic(method.getModifiers()))
			.filter((method) -> !declares(DelegatingLockStore.class, method))
			.map(Method::toString)
			.toList();
		assertThat(missing).isEmpty();
	}

	private static boolean declares(Class<?> type, Method method) {
		try {
			return type.getDeclaredMethod(method.getName(), method.getParameterTypes()) != null;
		}
		catch (NoSuchMethodException ex) {
			return false;
		}
	}

}
