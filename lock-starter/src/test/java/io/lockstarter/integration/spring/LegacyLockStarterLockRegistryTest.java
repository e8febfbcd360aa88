// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.integration.spring;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.integration.TestInstance;

import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link LegacyLockStarterLockRegistry} with two instances, on whichever Spring
 * Integration there is.
 */
@SuppressWarnings("LockNotBeforeTry")
class LegacyLockStarterLockRegistryTest {

	private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

	private static final long PATIENCE = 30;

	private final String key = TestInstance.newKey();

	private final TestInstance a = new TestInstance();

	private final TestInstance b = new TestInstance();

	private final LegacyLockStarterLockRegistry locks = new LegacyLockStarterLockRegistry(this.a.registry());

	private final Lock lock = this.locks.obtain(this.key);

	private final LegacyLockStarterLockRegistry elsewhere = new LegacyLockStarterLockRegistry(this.b.registry());

	private final Lock sameElsewhere = this.elsewhere.obtain(this.key);

	@AfterEach
	void close() {
		this.a.close();
		this.b.close();
	}

	@Test
	void locksExcludeOtherInstancesAndAreReleasedByTheLastUnlock() throws InterruptedException {
		this.lock.lock();
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
		this.lock.unlock();
		assertThat(this.sameElsewhere.tryLock()).isFalse();
		this.lock.unlock();
		assertThat(this.sameElsewhere.tryLock(PATIENCE, TimeUnit.SECONDS)).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
		this.sameElsewhere.unlock();
	}

	@Test
	void locksOfOneKeyAreEqual() {
		assertThat(this.locks.obtain(this.key)).isEqualTo(this.lock).hasSameHashCodeAs(this.lock);
		assertThat(this.locks.obtain(this.key + "x")).isNotEqualTo(this.lock);
		assertThat(this.sameElsewhere).isNotEqualTo(this.lock);
		assertThat(this.lock).hasToString("LeasedLock[key=%s, holdCount=0]".formatted(this.key));
	}

	@Test
	void unlockTellsALoss() {
		assertThatIllegalStateException().isThrownBy(this.lock::unlock).withMessageContaining(this.key);
		this.lock.lock();
		this.b.registry().forceRelease(this.key, null).join();
		assertThatExceptionOfType(ConcurrentModificationException.class).isThrownBy(this.lock::unlock)
			.withCauseInstanceOf(LockLostException.class);
	}

	@Test
	void aLockIsRenewedOnRequestByItsHolder() throws InterruptedException {
		assertThatIllegalStateException().isThrownBy(() -> this.locks.renewLock(this.key));
		this.lock.lockInterruptibly();
		this.locks.renewLock(this.key);
		this.locks.renewLock(this.key, TEN_MINUTES);
		assertThat(this.a.remaining(this.key)).isBetween(Duration.ofMinutes(5), TEN_MINUTES);
		assertThatIllegalStateException().isThrownBy(() -> this.elsewhere.renewLock(this.key));
		this.lock.unlock();
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
		LockRegistry<?> registry = this.locks;
		boolean excluded = registry.executeLocked(this.key, () -> !this.sameElsewhere.tryLock());
		assertThat(excluded).isTrue();
		this.sameElsewhere.lock();
		assertThatExceptionOfType(TimeoutException.class)
			.isThrownBy(() -> registry.executeLocked(this.key, Duration.ofMillis(1), () -> {
			}));
		this.sameElsewhere.unlock();
	}

	@Test
	void theNextInstanceBecomesTheLeader() throws Exception {
		LockRegistryLeaderInitiator first = new LockRegistryLeaderInitiator(this.locks);
		LockRegistryLeaderInitiator second = new LockRegistryLeaderInitiator(this.elsewhere);
		first.start();
		await().atMost(Duration.ofSeconds(PATIENCE)).until(() -> first.getContext().isLeader());
		second.start();
		first.destroy();
		await().atMost(Duration.ofSeconds(PATIENCE)).until(() -> second.getContext().isLeader());
		second.destroy();
	}

	@Test
	void aPrefixKeepsKeysApart() {
		Lock prefixed = new LegacyLockStarterLockRegistry(this.a.registry(), "integration:", LockOptions.defaults())
			.obtain(this.key);
		assertThat(prefixed.tryLock()).isTrue();
		assertThat(this.a.registry().obtain("integration:" + this.key).holdCount()).isOne();
		assertThat(this.sameElsewhere.tryLock()).isTrue();
		this.sameElsewhere.unlock();
		prefixed.unlock();
	}

	@Test
	void anObjectWithoutATextOfItsOwnIsNoKey() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.obtain(new Object()))
			.withMessageContaining("give its text");
	}

	@Test
	void thereAreNoConditions() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

}
