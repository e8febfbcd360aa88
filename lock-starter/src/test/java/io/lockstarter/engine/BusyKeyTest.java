// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.store.LockStore.Busy;
import org.junit.jupiter.api.Test;

import static io.lockstarter.engine.ManualEngine.KEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What {@link LockNotAcquiredException} says of the holder, and of others who wait.
 */
class BusyKeyTest {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(10));

	private static final LockOptions ONCE = LockOptions.defaults().withWaitTime(Duration.ZERO);

	private final ManualEngine engine = new ManualEngine();

	@Test
	void holderInThisJvmIsNamedByItsThreadAndTime() throws InterruptedException {
		Lease lease = this.engine.registry().acquire(KEY, LockOptions.defaults());
		this.engine.tickMillis(5_300);
		LockNotAcquiredException busy = busy(this.engine.request(KEY, ONCE));
		String thread = "%s (#%d)".formatted(Thread.currentThread().getName(), Thread.currentThread().getId());
		assertThat(busy.holders()).containsExactly(lease.ownerId());
		assertThat(busy.holderInstances()).containsExactly(ManualEngine.INSTANCE);
		assertThat(busy.holderThreads()).containsExactly(thread);
		assertThat(busy.heldFor()).isEqualTo(Duration.ofMillis(5_300));
		assertThat(busy.waiting()).isZero();
		assertThat(busy).hasMessage(
				"Lock '%s' is busy: not acquired within 0 ms, held by this instance (%s), on thread '%s', for 5300 ms"
					.formatted(KEY, lease.ownerId(), thread));
	}

	@Test
	void holderOfSeveralKeysIsNamedByItsThread() {
		this.engine.registry().obtainAll(List.of(KEY, "other"), LockOptions.defaults()).lock();
		assertThat(busy(this.engine.request("other", ONCE)).holderThreads()).singleElement()
			.asString()
			.startsWith(Thread.currentThread().getName());
	}

	@Test
	void asynchronousHolderHasNoThread() {
		this.engine.lease();
		LockNotAcquiredException busy = busy(this.engine.request(KEY, ONCE));
		assertThat(busy.holderThreads()).isEmpty();
		assertThat(busy).hasMessageContaining("acquired asynchronously, without a thread");
	}

	@Test
	void threadThatEndedIsSaidToHaveEnded() throws InterruptedException {
		Thread holder = new Thread(() -> this.engine.registry().obtain(KEY, LockOptions.defaults()).lock(),
				"forgetful");
		holder.start();
		holder.join();
		assertThat(busy(this.engine.request(KEY, ONCE))).hasMessageContaining("'forgetful (#")
			.hasMessageContaining(", which has ended");
	}

	@Test
	void holderElsewhereHasTheKeyForAsLongAsItWasSeen() {
		heldBy("orders@web-1-17-ab:7");
		CompletableFuture<Lease> first = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofSeconds(20)));
		CompletableFuture<Lease> second = this.engine.request(KEY, PATIENT);
		CompletableFuture<Lease> third = this.engine.request(KEY, PATIENT);
		this.engine.tickMillis(20_000);
		LockNotAcquiredException busy = busy(first);
		assertThat(busy.holderInstances()).containsExactly("orders@web-1-17-ab");
		assertThat(busy.holderThreads()).isEmpty();
		assertThat(busy.heldFor()).isEqualTo(Duration.ofSeconds(20));
		assertThat(busy.waiting()).isEqualTo(2);
		assertThat(busy).hasMessage("Lock '" + KEY + "' is busy: not acquired within 20000 ms, held by "
				+ "orders@web-1-17-ab:7, for at least 20000 ms; 2 others wait for it in this instance");
		assertThat(second).isNotDone();
		assertThat(third).isNotDone();
	}

	@Test
	void timeOfAHolderBeginsWhenItIsSeenFirst() {
		heldBy("other:7");
		CompletableFuture<Lease> request = this.engine.request(KEY, PATIENT.withWaitTime(Duration.ofSeconds(30)));
		this.engine.tickMillis(10_000);
		heldBy("other:8");
		this.engine.tickMillis(20_000);
		LockNotAcquiredException busy = busy(request);
		assertThat(busy.holders()).containsExactly("other:8");
		assertThat(busy.heldFor()).isLessThanOrEqualTo(Duration.ofSeconds(20)).isGreaterThan(Duration.ofSeconds(14));
	}

	@Test
	void nobodyIsAskedForIt() {
		heldBy("other:7");
		assertThat(busy(this.engine.request(KEY, ONCE))).hasMessageEndingWith("held by other:7");
		assertThat(this.engine.store().journal()).hasSize(1);
	}

	@Test
	void whoHasAMinimumHoldIsToldThatTheKeyMayBeKept() {
		heldBy("other:7");
		assertThat(busy(this.engine.request(KEY, ONCE.withMinHold(Duration.ofSeconds(1)))))
			.hasMessageEndingWith("held, or kept for its minimum hold, by other:7");
	}

	private void heldBy(String ownerId) {
		this.engine.store().acquires().answer((command) -> new Busy(ownerId, Duration.ofHours(1)));
	}

	private static LockNotAcquiredException busy(CompletableFuture<Lease> request) {
		CompletionException failure = catchThrowableOfType(CompletionException.class, request::join);
		return (LockNotAcquiredException) failure.getCause();
	}

}
