// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.nio.CharBuffer;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.ReleaseMode;
import io.lockstarter.integration.TestInstance;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LockStarterLockRegistry} with two instances, on what Spring
 * Integration asks of a lock registry.
 */
@Tag("boot4")
@SuppressWarnings("LockNotBeforeTry")
class LockStarterLockRegistryTest {

	private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

	private static final long PATIENCE = 30;

	private final String key = TestInstance.newKey();

	private final TestInstance a = new TestInstance();

	private final TestInstance b = new TestInstance();

	private final LockStarterLockRegistry locks = new LockStarterLockRegistry(this.a.registry());

	private final DistributedLock lock = this.locks.obtain(this.key);

	private final DistributedLock sameElsewhere = new LockStarterLockRegistry(this.b.registry()).obtain(this.key);

	@AfterEach
	void close() {
		this.a.close();
		this.b.close();
	}

	@Test
	void locksExcludeOtherInstances() throws InterruptedException {
		this.lock.lock();
		assertThat(this.sameElsewhere.tryLock()).isFalse();
		this.lock.unlock();
		assertThat(this.sameElsewhere.tryLock(PATIENCE, TimeUnit.SECONDS)).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
		this.sameElsewhere.unlock();
	}

	@Test
	void locksExcludeOtherThreads() throws Exception {
		this.lock.lockInterruptibly();
		assertThat(elsewhere(() -> this.lock.tryLock())).isFalse();
		this.lock.unlock();
		assertThat(elsewhere(() -> {
			boolean locked = this.lock.tryLock(PATIENCE, TimeUnit.SECONDS);
			this.lock.unlock();
			return locked;
		})).isTrue();
	}

	@Test
	void locksAreReentrantAndReleasedByTheLastUnlock() throws InterruptedException {
		this.lock.lock();
		assertThat(this.locks.obtain(this.key).tryLock()).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		this.lock.unlock();
		this.lock.unlock();
		assertThat(this.sameElsewhere.tryLock()).isFalse();
		this.lock.unlock();
		assertThat(this.sameElsewhere.tryLock(PATIENCE, TimeUnit.SECONDS)).isTrue();
		this.sameElsewhere.unlock();
	}

	@Test
	void severalLocksAreHeldAtOnce() {
		DistributedLock other = this.locks.obtain(TestInstance.newKey());
		this.lock.lock();
		assertThat(other.tryLock()).isTrue();
		this.lock.unlock();
		other.unlock();
	}

	@Test
	void locksOfOneKeyAreEqual() {
		assertThat(this.locks.obtain(this.key)).isEqualTo(this.lock).hasSameHashCodeAs(this.lock);
		assertThat(this.locks.obtain(this.key + "x")).isNotEqualTo(this.lock);
		assertThat(this.sameElsewhere).isNotEqualTo(this.lock);
		assertThat(this.lock).hasToString("LeasedLock[key=%s, holdCount=0]".formatted(this.key));
	}

	@Test
	void onlyTheHolderUnlocks() throws Exception {
		assertThatIllegalStateException().isThrownBy(this.lock::unlock).withMessageContaining(this.key);
		this.lock.lock();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> elsewhere(() -> {
			this.lock.unlock();
			return null;
		})).withCauseInstanceOf(IllegalStateException.class);
		assertThatIllegalStateException().isThrownBy(this.sameElsewhere::unlock);
		this.lock.unlock();
		assertThatIllegalStateException().isThrownBy(this.lock::unlock);
	}

	@Test
	void unlockTellsALossAndTheLockIsFreeForItsThread() {
		this.lock.lock();
		this.b.registry().forceRelease(this.key, null).join();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock)
			.withCauseInstanceOf(LockLostException.class);
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
	}

	@Test
	void aLockThatWasLostIsRefusedToItsThreadUntilItIsUnlocked() {
		this.lock.lock();
		this.b.registry().forceRelease(this.key, null).join();
		assertThatIllegalStateException().isThrownBy(() -> this.locks.renewLock(this.key));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::tryLock);
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void aWaitEndsWithAnInterruptAndNothingStaysLocked() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class).isThrownBy(this.lock::lockInterruptibly);
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(InterruptedException.class)
			.isThrownBy(() -> this.lock.tryLock(PATIENCE, TimeUnit.SECONDS));
		assertThat(this.sameElsewhere.tryLock()).isTrue();
		this.sameElsewhere.unlock();
	}

	/**
	 * Spring Integration's own registry took two keys of one thread for one lock
	 * (spring-integration#11146, #11180): the second was not released.
	 */
	@Test
	void eachOfManyKeysOfAThreadIsALockOfItsOwn() {
		// both have the same hash code, as all pairs have
		List<Lock> held = IntStream.range(0, 300)
			.mapToObj((i) -> Stream.of("Aa", "BB").map((end) -> this.key + i + end))
			.<Lock>flatMap((keys) -> keys.map(this.locks::obtain))
			.toList();
		LockStarterLockRegistry elsewhere = new LockStarterLockRegistry(this.b.registry());
		held.forEach(Lock::lock);
		held.get(1).unlock();
		assertThat(elsewhere.obtain(this.key + "0BB").tryLock()).isTrue();
		assertThat(elsewhere.obtain(this.key + "0Aa").tryLock()).isFalse();
		held.stream().filter((lock) -> lock != held.get(1)).forEach(Lock::unlock);
		assertThat(this.a.registry().leaseCount()).isZero();
		elsewhere.obtain(this.key + "0BB").unlock();
	}

	/**
	 * Spring Integration's own registry returned from the unlock before the key was gone
	 * if the thread was interrupted (spring-integration#11049).
	 */
	@Test
	void unlockOfAnInterruptedThreadReturnsWhenOthersCanHaveTheKey() {
		for (int round = 0; round < 50; round++) {
			this.lock.lock();
			Thread.currentThread().interrupt();
			this.lock.unlock();
			assertThat(Thread.interrupted()).isTrue();
			assertThat(this.sameElsewhere.tryLock()).isTrue();
			this.sameElsewhere.unlock();
		}
	}

	/**
	 * Spring Integration's own registry lost the interrupt (spring-integration#11409).
	 */
	@Test
	void aLockWithATtlOfItsOwnThatIsInterruptedWhileItWaitsKeepsTheFlag() throws Exception {
		this.sameElsewhere.lock();
		CompletableFuture<Boolean> flag = new CompletableFuture<>();
		Thread waiting = new Thread(() -> {
			this.lock.lock(TEN_MINUTES);
			flag.complete(Thread.currentThread().isInterrupted());
			this.lock.unlock();
		});
		waiting.start();
		await().until(() -> this.a.registry().waiterCount() == 1);
		waiting.interrupt();
		this.sameElsewhere.unlock();
		assertThat(flag.get(PATIENCE, TimeUnit.SECONDS)).isTrue();
		waiting.join();
	}

	@Test
	void aLockMayHaveATtlOfItsOwn() throws InterruptedException {
		this.lock.lock(TEN_MINUTES);
		assertThat(this.a.remaining(this.key)).isBetween(Duration.ofMinutes(5), TEN_MINUTES);
		this.lock.unlock();
		assertThat(this.lock.tryLock(Duration.ofSeconds(PATIENCE), TEN_MINUTES)).isTrue();
		assertThat(this.a.remaining(this.key)).isBetween(Duration.ofMinutes(5), TEN_MINUTES);
		assertThat(this.sameElsewhere.tryLock(Duration.ZERO, TEN_MINUTES)).isFalse();
		this.lock.unlock();
		assertThat(this.lock.tryLock(Duration.ofDays(365_000), TEN_MINUTES)).isTrue();
		this.lock.unlock();
	}

	@Test
	void aTtlOfItsOwnIsRenewed() {
		this.lock.lock(Duration.ofSeconds(6));
		Duration[] last = { this.a.remaining(this.key) };
		await().until(() -> {
			Duration before = last[0];
			last[0] = this.a.remaining(this.key);
			return last[0].compareTo(before) > 0;
		});
		this.lock.unlock();
	}

	@Test
	void aLockWithoutRenewalExpires() throws InterruptedException {
		LockOptions options = LockOptions.defaults().withRenew(false);
		DistributedLock expiring = new LockStarterLockRegistry(this.a.registry(), "", options).obtain(this.key);
		assertThat(expiring.tryLock(Duration.ZERO, Duration.ofSeconds(2))).isTrue();
		assertThat(this.sameElsewhere.tryLock(PATIENCE, TimeUnit.SECONDS)).isTrue();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(expiring::unlock);
		this.sameElsewhere.unlock();
	}

	@Test
	void aLockIsRenewedOnRequest() {
		this.lock.lock();
		this.locks.renewLock(this.key);
		assertThat(this.a.remaining(this.key)).isLessThanOrEqualTo(Duration.ofSeconds(30));
		this.locks.renewLock(this.key, TEN_MINUTES);
		assertThat(this.a.remaining(this.key)).isBetween(Duration.ofMinutes(5), TEN_MINUTES);
		this.lock.unlock();
	}

	@Test
	void onlyTheHolderRenews() {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.renewLock(this.key))
			.withMessageContaining(this.key);
		this.sameElsewhere.lock();
		assertThatIllegalStateException().isThrownBy(() -> this.locks.renewLock(this.key, TEN_MINUTES));
		this.sameElsewhere.unlock();
	}

	@Test
	void aSchedulerForRenewalIsNotUsed() {
		try (SimpleAsyncTaskScheduler scheduler = new SimpleAsyncTaskScheduler()) {
			this.locks.setRenewalTaskScheduler(scheduler);
			this.lock.lock();
			this.lock.unlock();
		}
	}

	@Test
	void tasksRunUnderTheirLock() throws Exception {
		String result = this.locks.executeLocked(this.key, () -> {
			assertThat(this.sameElsewhere.tryLock()).isFalse();
			return "done";
		});
		assertThat(result).isEqualTo("done");
		this.sameElsewhere.lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> this.locks.executeLocked(this.key, Duration.ofMillis(1), () -> {
			}));
		this.sameElsewhere.unlock();
	}

	@Test
	void theSameKeyIsTheSameLockInBothRegistries() {
		this.lock.lock();
		assertThat(this.a.registry().obtain(this.key).holdCount()).isOne();
		assertThat(this.a.registry().obtain(this.key).lease().fencingToken()).isPositive();
		this.lock.unlock();
	}

	@Test
	void aPrefixKeepsKeysApart() {
		LockOptions options = LockOptions.defaults().withReleaseMode(ReleaseMode.CONFIRMED);
		Lock prefixed = new LockStarterLockRegistry(this.a.registry(), "integration:", options).obtain(this.key);
		assertThat(prefixed.tryLock()).isTrue();
		assertThat(this.a.registry().obtain("integration:" + this.key).holdCount()).isOne();
		assertThat(this.sameElsewhere.tryLock()).isTrue();
		this.sameElsewhere.unlock();
		prefixed.unlock();
	}

	@Test
	void textsNumbersIdsAndConstantsAreKeys() {
		UUID id = UUID.randomUUID();
		assertThat(this.locks.obtain(id)).isEqualTo(this.locks.obtain(id.toString()));
		assertThat(this.locks.obtain(42)).isEqualTo(this.locks.obtain("42"));
		assertThat(this.locks.obtain(TimeUnit.DAYS)).isEqualTo(this.locks.obtain("DAYS"));
		assertThat(this.locks.obtain(true)).isEqualTo(this.locks.obtain("true"));
		assertThat(this.locks.obtain('x')).isEqualTo(this.locks.obtain(CharBuffer.wrap("x")));
	}

	@Test
	void anObjectWithoutATextOfItsOwnIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.obtain(new Object()))
			.withMessageContaining("java.lang.Object")
			.withMessageContaining("give its text");
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.obtain(null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "P400D" })
	void aTtlOutOfRangeIsRefused(Duration ttl) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.lock.lock(ttl)).withMessageContaining("ttl");
		this.lock.lock();
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.renewLock(this.key, ttl));
		this.lock.unlock();
	}

	@Test
	void thereAreNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	private static <T> T elsewhere(Task<T> task) throws ExecutionException, InterruptedException, TimeoutException {
		CompletableFuture<T> result = new CompletableFuture<>();
		new Thread(() -> {
			try {
				result.complete(task.run());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}).start();
		return result.get(PATIENCE, TimeUnit.SECONDS);
	}

	private interface Task<T> {

		T run() throws Exception;

	}

}
