// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.willReturn;
import static org.mockito.Mockito.spy;

/**
 * Whether a lock is taken, and for how long, as the lock itself tells.
 */
@SuppressWarnings("FutureReturnValueIgnored") // stubbed calls of a mock
class StateOfLockTest {

	private static final String KEY = "stock:42";

	private static final Duration TTL = Duration.ofMinutes(5);

	private final MemoryLockStore store = spy(new MemoryLockStore());

	private final DefaultLockRegistry registry = registry("here");

	private final DefaultLockRegistry other = registry("elsewhere");

	private final LeasedLock lock = this.registry.obtain(KEY);

	private DefaultLockRegistry registry(String instance) {
		return new DefaultLockRegistry(instance, this.store,
				RegistrySettings.defaults().withTtl(TTL).withShutdownGrace(Duration.ZERO), List.of());
	}

	@AfterEach
	void stop() {
		this.registry.stop();
		this.other.stop();
	}

	@Test
	void aFreeLockIsNotLocked() {
		assertThat(this.lock.isLocked()).isFalse();
		assertThat(this.lock.remainingTime()).isEmpty();
	}

	@Test
	void aLockIsLockedWhicheverInstanceHasIt() throws InterruptedException {
		for (LockRegistry each : List.of(this.registry, this.other)) {
			try (Lease lease = each.acquire(KEY)) {
				assertThat(lease.isValid()).isTrue();
				assertThat(this.lock.isLocked()).isTrue();
				assertThat(this.lock.remainingTime()).hasValueSatisfying(
						(remaining) -> assertThat(remaining).isBetween(TTL.minus(Duration.ofMinutes(1)), TTL));
				assertThat(this.lock.isHeldByCurrentThread()).isFalse();
			}
		}
		assertThat(this.lock.isLocked()).isFalse();
	}

	@Test
	void aLockIsLockedForReadersAndWritersAlike() {
		LeasedLock readers = this.other.obtainReadWrite(KEY).readLock();
		readers.lock();
		try {
			assertThat(this.lock.isLocked()).isTrue();
			assertThat(this.registry.obtainReadWrite(KEY).readLock().isLocked()).isTrue();
		}
		finally {
			readers.unlock();
		}
		assertThat(this.lock.isLocked()).isFalse();
	}

	@Test
	void aLockIsLockedForItsMinimumHold() throws InterruptedException {
		this.other.acquire(KEY, LockOptions.defaults().withMinHold(Duration.ofMinutes(1))).close();
		assertThat(this.lock.isLocked()).isTrue();
		assertThat(this.lock.remainingTime()).hasValueSatisfying(
				(remaining) -> assertThat(remaining).isBetween(Duration.ofSeconds(1), Duration.ofMinutes(1)));
	}

	@Test
	void aLockThatDoesNotExpireRemainsWithoutLimit() {
		willReturn(CompletableFuture.completedFuture(new StoredLockDetails(
				new StoredLock(KEY, List.of("of somebody else"), false, null, null), List.of(), null)))
			.given(this.store)
			.inspect(KEY);
		assertThat(this.lock.isLocked()).isTrue();
		assertThat(this.lock.remainingTime()).contains(LockOptions.UNLIMITED);
	}

	@Test
	void viewsAskForTheirWholeKey() throws InterruptedException {
		try (Lease lease = this.other.acquire("shop:" + KEY)) {
			assertThat(lease.isValid()).isTrue();
			assertThat(this.registry.withPrefix("shop:").obtain(KEY).isLocked()).isTrue();
			assertThat(this.registry.withHolder("saga").obtain("shop:" + KEY).isLocked()).isTrue();
			assertThat(this.lock.isLocked()).isFalse();
		}
	}

	@Test
	void aLockOfSeveralKeysSaysWhatToAsk() {
		LeasedLock several = this.registry.obtainAll(List.of("a", "b"), LockOptions.defaults());
		assertThatIllegalStateException().isThrownBy(several::isLocked)
			.withMessage("Lock 'a, b' has several keys, of which some may be free: ask the lock of each");
	}

	@Test
	void whatTheStoreSaysIsThrown() {
		LockStoreException refused = new LockStoreException("connection refused", false, false, false, null);
		willReturn(CompletableFuture.failedFuture(refused)).given(this.store).inspect(KEY);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(this.lock::isLocked)
			.withMessage("connection refused")
			.satisfies((failure) -> assertThat(failure.key()).isEqualTo(KEY));
		UnsupportedOperationException unsupported = new UnsupportedOperationException("cannot be inspected");
		willReturn(CompletableFuture.failedFuture(unsupported)).given(this.store).inspect(KEY);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::remainingTime)
			.isSameAs(unsupported);
	}

	@Test
	void aRegistryThatIsShutDownAsksNobody() {
		this.registry.stop();
		assertThatIllegalStateException().isThrownBy(this.lock::isLocked).withMessageContaining("shut down");
	}

}
