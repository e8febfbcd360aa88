// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.ReleaseMode;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.engine.RecordedEvents.Loss;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who waits for the answer to a release, and who hears of it.
 */
class ReleaseModeTest {

	private static final LockOptions ASYNC = LockOptions.defaults().withReleaseMode(ReleaseMode.ASYNC);

	private final ManualEngine engine = new ManualEngine();

	private final ScriptedStore store = this.engine.store();

	@Test
	void aConfirmedReleaseWaitsForItsAnswer() {
		this.store.releases().hold();
		Lease lease = this.engine.lease();
		Caller<Boolean> caller = Caller.start(() -> {
			lease.close();
			return true;
		}).awaitParked();
		assertThat(caller.isDone()).isFalse();
		this.store.releases().last().answer(true);
		assertThat(caller.value()).isTrue();
	}

	@Test
	void theFutureOfAConfirmedReleaseCompletesWithItsAnswer() {
		this.store.releases().hold();
		CompletableFuture<Void> closed = this.engine.lease().closeAsync();
		assertThat(closed).isNotDone();
		this.store.releases().last().answer(true);
		assertThat(closed).isCompleted();
	}

	@Test
	void theFutureOfAnAsynchronousReleaseIsCompleteAtOnce() {
		this.store.releases().hold();
		assertThat(this.engine.lease(ManualEngine.KEY, ASYNC).closeAsync()).isCompleted();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void anAsynchronousReleaseDoesNotWaitForItsAnswer() {
		this.store.releases().hold();
		Lease lease = this.engine.lease(ManualEngine.KEY, ASYNC);
		lease.close();
		assertThat(lease.isValid()).isFalse();
		assertThat(this.store.releases().count()).isOne();
		this.store.releases().last().answer(true);
		assertThat(this.engine.events().unconfirmed()).isEmpty();
	}

	@Test
	void anUnlockWithAsynchronousReleaseDoesNotWaitForItsAnswer() {
		this.store.releases().hold();
		LeasedLock lock = this.engine.registry().obtain(ManualEngine.KEY, ASYNC);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		assertThat(lock.holdCount()).isZero();
		assertThat(this.store.releases().count()).isOne();
	}

	@Test
	void theNextAcquirerComesBehindAnUnansweredRelease() {
		this.store.releases().hold();
		this.engine.lease(ManualEngine.KEY, ASYNC).close();
		Lease next = this.engine.lease(ManualEngine.KEY, ASYNC);
		assertThat(next.isValid()).isTrue();
		assertThat(this.store.journal()).hasSize(3);
		assertThat(this.store.journal().get(1)).isInstanceOf(Release.class);
	}

	@Test
	void anAsynchronousReleaseThatIsNotAnsweredIsToldAndRepeated() {
		this.store.releases().hold();
		Lease lease = this.engine.lease(ManualEngine.KEY, ASYNC);
		lease.close();
		this.engine.tick(Duration.ofSeconds(3));
		assertThat(this.engine.events().unconfirmed()).containsExactly(lease);
		assertThat(this.store.releases().count()).isGreaterThan(1);
	}

	@Test
	void anAsynchronousReleaseOfWhatWasTakenAwayIsToldAsALoss() {
		this.store.releases().answer((command) -> false);
		Lease lease = this.engine.lease(ManualEngine.KEY, ASYNC);
		lease.close();
		assertThat(this.engine.events().losses()).extracting(Loss::lease).containsExactly(lease);
		assertThat(this.engine.events().losses()).extracting(Loss::cause).containsExactly(LossCause.TAKEN);
	}

}
