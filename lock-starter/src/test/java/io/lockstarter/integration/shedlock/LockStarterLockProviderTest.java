// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.shedlock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockExtender;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.LockingTaskExecutor.Task;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

import io.lockstarter.Lease;
import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockOptions;
import io.lockstarter.integration.TestInstance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link LockStarterLockProvider} with two instances, on what ShedLock asks of
 * a lock provider.
 */
class LockStarterLockProviderTest {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final Duration SHORT = Duration.ofSeconds(2);

	private final String name = TestInstance.newKey();

	private final TestInstance a = new TestInstance();

	private final TestInstance b = new TestInstance();

	private final LockStarterLockProvider provider = new LockStarterLockProvider(this.a.registry());

	private final LockStarterLockProvider elsewhere = new LockStarterLockProvider(this.b.registry());

	@AfterEach
	void close() {
		this.a.close();
		this.b.close();
	}

	@Test
	void aFreeLockIsAcquiredAndAfterItsReleaseAgain() {
		SimpleLock lock = lock(this.provider, MINUTE, Duration.ZERO);
		assertThat(this.a.remaining(this.name)).isBetween(Duration.ofSeconds(30), MINUTE);
		lock.unlock();
		assertThat(this.a.remaining(this.name)).isZero();
		lock(this.elsewhere, MINUTE, Duration.ZERO).unlock();
		lock(this.provider, MINUTE, Duration.ZERO).unlock();
	}

	@Test
	void aLockThatIsHeldIsNotAcquiredASecondTime() {
		SimpleLock lock = lock(this.provider, MINUTE, Duration.ZERO);
		assertThat(tryLock(this.provider, MINUTE, Duration.ZERO)).as("not reentrant").isEmpty();
		assertThat(tryLock(this.elsewhere, MINUTE, Duration.ZERO)).isEmpty();
		lock.unlock();
	}

	@Test
	void locksWithDifferentNamesAreIndependent() {
		SimpleLock lock = lock(this.provider, MINUTE, Duration.ZERO);
		Optional<SimpleLock> other = this.elsewhere
			.lock(new LockConfiguration(Instant.now(), this.name + "-other", MINUTE, Duration.ZERO));
		assertThat(other).isPresent();
		other.get().unlock();
		lock.unlock();
	}

	@Test
	void aLockIsHeldAtMostForItsTime() {
		SimpleLock expired = lock(this.provider, SHORT, Duration.ZERO);
		await().atMost(PATIENCE).until(() -> tryLock(this.elsewhere, MINUTE, Duration.ZERO).isPresent());
		assertThat(expired.extend(MINUTE, Duration.ZERO)).isEmpty();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.a.lost()).containsExactly(this.name));
		assertThat(tryLock(this.provider, MINUTE, Duration.ZERO)).as("the other one still has it").isEmpty();
	}

	@Test
	void theUnlockOfAnExpiredLockLeavesThatOfAnotherAlone() {
		SimpleLock expired = lock(this.provider, SHORT, Duration.ZERO);
		List<SimpleLock> next = new ArrayList<>();
		await().atMost(PATIENCE).until(() -> tryLock(this.elsewhere, MINUTE, Duration.ZERO).map(next::add).isPresent());
		expired.unlock();
		assertThat(tryLock(this.provider, MINUTE, Duration.ZERO)).isEmpty();
		next.get(0).unlock();
	}

	@Test
	void aLockIsHeldAtLeastForItsTime() {
		lock(this.provider, TEN_MINUTES, SHORT).unlock();
		Duration remaining = this.a.remaining(this.name);
		assertThat(remaining).isLessThanOrEqualTo(SHORT);
		await().atMost(PATIENCE).until(() -> tryLock(this.elsewhere, MINUTE, Duration.ZERO).isPresent());
	}

	@Test
	void aLockThatIsReleasedEarlyStaysForTheRest() {
		lock(this.provider, TEN_MINUTES, MINUTE).unlock();
		assertThat(this.a.remaining(this.name)).isBetween(Duration.ofSeconds(30), MINUTE);
		assertThat(tryLock(this.elsewhere, MINUTE, Duration.ZERO)).isEmpty();
		assertThat(tryLock(this.provider, MINUTE, Duration.ZERO)).isEmpty();
	}

	@Test
	void aLockIsExtended() {
		SimpleLock lock = lock(this.provider, MINUTE, Duration.ZERO);
		SimpleLock extended = lock.extend(TEN_MINUTES, Duration.ZERO).orElseThrow();
		assertThat(this.a.remaining(this.name)).isBetween(Duration.ofMinutes(5), TEN_MINUTES);
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(TEN_MINUTES, Duration.ZERO));
		extended.unlock();
		assertThat(this.a.remaining(this.name)).isZero();
	}

	@Test
	void anExtensionReplacesTheTimeThatItIsHeldAtLeast() {
		SimpleLock lock = lock(this.provider, MINUTE, MINUTE);
		lock.extend(TEN_MINUTES, Duration.ZERO).orElseThrow().unlock();
		lock = lock(this.elsewhere, MINUTE, Duration.ZERO);
		lock.extend(TEN_MINUTES, TEN_MINUTES).orElseThrow().unlock();
		assertThat(this.a.remaining(this.name)).isBetween(Duration.ofMinutes(5), TEN_MINUTES);
	}

	@Test
	void anExtensionDoesNotShorten() {
		SimpleLock lock = lock(this.provider, TEN_MINUTES, Duration.ZERO);
		SimpleLock extended = lock.extend(MINUTE, Duration.ZERO).orElseThrow();
		assertThat(this.a.remaining(this.name)).isGreaterThan(MINUTE);
		extended.unlock();
	}

	@Test
	void aLockIsUnlockedOnce() {
		SimpleLock lock = lock(this.provider, MINUTE, Duration.ZERO);
		lock.unlock();
		assertThatIllegalStateException().isThrownBy(lock::unlock);
		assertThatIllegalStateException().isThrownBy(() -> lock.extend(MINUTE, Duration.ZERO));
	}

	@Test
	void aLockThatWasTakenIsNotExtended() {
		SimpleLock lock = lock(this.provider, MINUTE, Duration.ZERO);
		this.b.registry().forceRelease(this.name, null).join();
		assertThat(lock.extend(MINUTE, Duration.ZERO)).isEmpty();
	}

	@Test
	void theSameNameIsTheSameKeyInTheRegistry() throws InterruptedException {
		try (Lease lease = this.b.registry().acquire(this.name, LockOptions.defaults())) {
			assertThat(tryLock(this.provider, MINUTE, Duration.ZERO)).isEmpty();
			assertThat(lease.isValid()).isTrue();
		}
		LockStarterLockProvider prefixed = new LockStarterLockProvider(this.a.registry(), "job:",
				LockOptions.defaults().withName("jobs"));
		SimpleLock lock = lock(prefixed, MINUTE, Duration.ZERO);
		assertThat(this.a.remaining("job:" + this.name)).isPositive();
		assertThat(this.a.registry().held()).extracting(HeldLock::key).containsExactly("job:" + this.name);
		lock.unlock();
	}

	@Test
	void anActiveLockIsExtendedByItsTask() throws Throwable {
		AtomicInteger runs = new AtomicInteger();
		new DefaultLockingTaskExecutor(this.provider).executeWithLock((Task) () -> {
			LockExtender.extendActiveLock(TEN_MINUTES, Duration.ZERO);
			assertThat(this.a.remaining(this.name)).isGreaterThan(MINUTE);
			runs.incrementAndGet();
		}, configuration(MINUTE, Duration.ZERO));
		assertThat(runs).hasValue(1);
		assertThat(this.a.remaining(this.name)).isZero();
	}

	@Test
	void aKeepAliveProviderExtendsALockAndKeepsItsLeastTime() {
		ScheduledExecutorService scheduler = mock();
		doReturn(mock(ScheduledFuture.class)).when(scheduler).scheduleAtFixedRate(any(), anyLong(), anyLong(), any());
		SimpleLock lock = lock(new KeepAliveLockProvider(this.provider, scheduler), TEN_MINUTES, TEN_MINUTES);
		ArgumentCaptor<Runnable> extension = ArgumentCaptor.captor();
		verify(scheduler).scheduleAtFixedRate(extension.capture(), anyLong(), anyLong(), any());
		extension.getValue().run();
		assertThat(this.a.remaining(this.name)).isGreaterThan(Duration.ofMinutes(6));
		lock.unlock();
		assertThat(this.a.remaining(this.name)).as("half of it is over, as far as the provider knows")
			.isBetween(MINUTE, Duration.ofMinutes(5));
	}

	@Test
	void noIncrementIsLostByManyThreadsInTwoInstances() throws Exception {
		int[] counter = { 0 };
		int threads = 4;
		int rounds = 10;
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<Integer>> tasks = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				LockStarterLockProvider mine = (i % 2 == 0) ? this.provider : this.elsewhere;
				tasks.add(() -> increment(mine, counter, rounds));
			}
			for (Future<Integer> done : executor.invokeAll(tasks, 2, TimeUnit.MINUTES)) {
				assertThat(done.get()).isEqualTo(rounds);
			}
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(counter[0]).isEqualTo(threads * rounds);
	}

	@Test
	void anInterruptIsKept() {
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> tryLock(this.provider, MINUTE, Duration.ZERO))
			.withMessageContaining(this.name);
		assertThat(Thread.interrupted()).isTrue();
	}

	@Test
	void aTimeThatNoLockCanHaveIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> tryLock(this.provider, Duration.ZERO, Duration.ZERO))
			.withMessageContaining(this.name)
			.withMessageContaining("lockAtMostFor");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> tryLock(this.provider, Duration.ofDays(400), Duration.ZERO));
	}

	private int increment(LockProvider provider, int[] counter, int rounds) {
		int done = 0;
		while (done < rounds) {
			Optional<SimpleLock> lock = provider.lock(configuration(MINUTE, Duration.ZERO));
			if (lock.isPresent()) {
				int read = counter[0];
				Thread.onSpinWait();
				counter[0] = read + 1;
				done++;
				lock.get().unlock();
			}
		}
		return done;
	}

	private SimpleLock lock(LockProvider provider, Duration atMost, Duration atLeast) {
		return tryLock(provider, atMost, atLeast).orElseThrow();
	}

	private Optional<SimpleLock> tryLock(LockProvider provider, Duration atMost, Duration atLeast) {
		return provider.lock(configuration(atMost, atLeast));
	}

	private LockConfiguration configuration(Duration atMost, Duration atLeast) {
		return new LockConfiguration(Instant.now(), this.name, atMost, atLeast);
	}

}
