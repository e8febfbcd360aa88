// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the page for those who come from Redisson says of these locks.
 */
class FromRedissonTest {

	private static final String KEY = "stock:42";

	private static final LockOptions FIXED = LockOptions.defaults().withTtl(Duration.ofMillis(50)).withRenew(false);

	private final DefaultLockRegistry registry = new DefaultLockRegistry("app", new MemoryLockStore(),
			RegistrySettings.defaults().withShutdownGrace(Duration.ZERO), List.of());

	@AfterEach
	void stop() {
		this.registry.stop();
	}

	@Test
	void threadThatLetALockExpireIsToldBeforeItLocksAgain() {
		LeasedLock lock = this.registry.obtain(KEY, FIXED);
		lock.lock();
		awaitExpiry();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::tryLock)
			.satisfies((lost) -> assertThat(lost.lossCause()).isEqualTo(LossCause.EXPIRED));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::lock);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::unlock);
		assertThat(lock.tryLock()).isTrue();
	}

	@Test
	void keyIsKeptForItsMinimumHoldAfterItsRelease() {
		LockOptions options = LockOptions.defaults().withMinHold(Duration.ofSeconds(10));
		this.registry.run(KEY, options, (scope) -> {
		});
		assertThat(this.registry.inspect(KEY).join().lock().isHeld()).isTrue();
	}

	@Test
	void keyIsKeptForItsMinimumHoldAfterItsLeaseIsClosed() throws InterruptedException {
		LockOptions options = LockOptions.defaults().withMinHold(Duration.ofSeconds(10));
		this.registry.tryAcquire(KEY, options).orElseThrow().close();
		assertThat(this.registry.tryAcquire(KEY, options)).isEmpty();
	}

	@Test
	void keyOfALeaseThatIsDroppedIsFreeAfterItsTime() throws InterruptedException {
		assertThat(this.registry.tryAcquire(KEY, FIXED)).isPresent();
		awaitExpiry();
		assertThat(this.registry.tryAcquire(KEY, FIXED)).isPresent();
	}

	@Test
	void inspectorSaysWhetherAKeyIsHeldAndForHowLong() throws InterruptedException {
		assertThat(this.registry.inspect(KEY).join().lock().isHeld()).isFalse();
		try (Lease lease = this.registry.acquire(KEY, LockOptions.defaults())) {
			assertThat(this.registry.inspect(KEY).join().lock()).satisfies((lock) -> {
				assertThat(lock.isHeld()).isTrue();
				assertThat(lock.remaining()).isBetween(lease.remaining(), Duration.ofSeconds(30));
			});
		}
	}

	@Test
	void leaseWaitsForItselfAndALockDoesNot() throws InterruptedException {
		LockOptions brief = LockOptions.defaults().withWaitTime(Duration.ofMillis(20));
		try (Lease lease = this.registry.acquire(KEY, brief)) {
			assertThat(lease.isValid()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.registry.acquire(KEY, brief));
			assertThat(this.registry.tryAcquire(KEY)).isEqualTo(Optional.empty());
		}
		LeasedLock lock = this.registry.obtain(KEY);
		lock.lock();
		try {
			assertThat(lock.tryLock()).isTrue();
			assertThat(lock.holdCount()).isEqualTo(2);
			lock.unlock();
		}
		finally {
			lock.unlock();
		}
		assertThat(this.registry.inspect(KEY).join().lock().isHeld()).isFalse();
	}

	private void awaitExpiry() {
		await().until(() -> !this.registry.inspect(KEY).join().lock().isHeld());
	}

}
