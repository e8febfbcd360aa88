// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import org.junit.jupiter.api.Test;

import static io.lockstarter.engine.ManualEngine.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Whoever tries without a thread has a busy key as a value, and all else as for any other
 * future of a lease.
 */
class TryAcquireAsyncTest {

	private final ManualEngine engine = new ManualEngine();

	@Test
	void keyThatIsFreeIsAcquired() {
		Lease lease = this.engine.registry().tryAcquireAsync(KEY).join().orElseThrow();
		assertThat(lease.isValid()).isTrue();
		assertThat(this.engine.registry().leaseCount()).isOne();
	}

	@Test
	void keyThatIsBusyIsEmptyAtOnceWhateverTheRegistryWaits() {
		this.engine.lease();
		assertThat(this.engine.registry().tryAcquireAsync(KEY)).isCompletedWithValue(Optional.empty());
		assertThat(this.engine.registry().waiterCount()).isZero();
	}

	@Test
	void waitTimeOfTheOptionsCounts() {
		Lease first = this.engine.lease();
		LockOptions patient = LockOptions.defaults().withWaitTime(Duration.ofMillis(50));
		CompletableFuture<Optional<Lease>> second = this.engine.registry().tryAcquireAsync(KEY, patient);
		CompletableFuture<Optional<Lease>> third = this.engine.registry().tryAcquireAsync(KEY, patient);
		assertThat(second).isNotDone();
		first.close();
		assertThat(second.join()).get().matches(Lease::isValid);
		this.engine.tickMillis(50);
		assertThat(third).isCompletedWithValue(Optional.empty());
	}

	@Test
	void whoCancelsGivesUp() {
		Lease first = this.engine.lease();
		CompletableFuture<Optional<Lease>> second = this.engine.registry()
			.tryAcquireAsync(KEY, LockOptions.defaults().withWaitTime(Duration.ofSeconds(5)));
		assertThat(this.engine.registry().waiterCount()).isOne();
		second.cancel(false);
		assertThat(this.engine.registry().waiterCount()).isZero();
		first.close();
		assertThat(this.engine.registry().leaseCount()).isZero();
	}

	@Test
	void storeThatFailsIsNoBusyKey() {
		this.engine.store().acquires().fail(new IllegalStateException("down"));
		assertThat(this.engine.registry().tryAcquireAsync(KEY)).failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(LockStoreException.class);
	}

	@Test
	void registryThatDecoratesAnotherMayWrapTheFailure() {
		LockRegistry decorated = mock();
		given(decorated.tryAcquireAsync(any(), any())).willCallRealMethod();
		given(decorated.acquireAsync(any(String.class), any(LockOptions.class))).willReturn(CompletableFuture
			.failedFuture(new CompletionException(new LockNotAcquiredException(KEY, Duration.ZERO, List.of()))));
		assertThat(decorated.tryAcquireAsync(KEY, LockOptions.defaults())).isCompletedWithValue(Optional.empty());
	}

}
