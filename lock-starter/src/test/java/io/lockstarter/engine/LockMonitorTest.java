// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockMonitor;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a monitor is told, and when.
 */
class LockMonitorTest {

	private static final LockOptions STOCK = LockOptions.defaults().withName("stock");

	private final List<String> told = new ArrayList<>();

	private final ScriptedStore store = new ScriptedStore();

	private final ManualEngine engine = new ManualEngine(ManualEngine.settings(), this.store,
			List.of(new FailingMonitor(), new RecordingMonitor()));

	@Test
	void leaseIsToldWithItsWaitAndItsHold() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request("stock:42", STOCK);
		this.engine.tickMillis(30);
		this.store.acquires().last().answer(this.store.granted());
		this.engine.tickMillis(70);
		request.join().close();
		assertThat(this.told).containsExactly("waiting stock:42 stock", "stock acquired after 30 ms", "got a lease",
				"stock released after 70 ms");
	}

	@Test
	void leaseThatIsHandedOnIsToldAsSuchAfterTheReleaseBeforeIt() {
		Lease first = this.engine.lease("stock:42", STOCK);
		CompletableFuture<Lease> second = this.engine.request("stock:42", STOCK.withName("other"));
		this.engine.tickMillis(40);
		assertThat(this.engine.registry().leaseCount()).isOne();
		assertThat(this.engine.registry().waiterCount()).isOne();
		this.told.clear();
		first.close();
		assertThat(this.told).containsExactly("stock released after 40 ms", "other handed on after 40 ms",
				"got a lease");
		second.join().close();
		assertThat(this.engine.registry().leaseCount()).isZero();
		assertThat(this.engine.registry().waiterCount()).isZero();
	}

	@Test
	void keyThatStaysBusyIsToldWithItsHolder() {
		this.store.acquires().answer((command) -> ScriptedStore.busy("other:1", Duration.ofMinutes(1)));
		CompletableFuture<Lease> request = this.engine.request("stock:42", STOCK.withWaitTime(Duration.ofMillis(50)));
		this.engine.tickMillis(50);
		assertThat(request).isCompletedExceptionally();
		assertThat(this.told).containsExactly("waiting stock:42 stock", "stock BUSY after 50 ms, other:1",
				"LockNotAcquiredException");
	}

	@Test
	void storeThatFailsIsTold() {
		this.store.acquires().fail(new IllegalStateException("down"));
		CompletableFuture<Lease> request = this.engine.request("stock:42", STOCK.withWaitTime(Duration.ZERO));
		assertThat(request).isCompletedExceptionally();
		assertThat(this.told).containsExactly("waiting stock:42 stock", "stock UNAVAILABLE after 0 ms, ",
				"LockStoreException");
	}

	@Test
	void acquirerThatGivesUpIsTold() {
		this.store.acquires().hold();
		CompletableFuture<Lease> request = this.engine.request("stock:42", STOCK);
		this.engine.tickMillis(20);
		request.cancel(true);
		assertThat(this.told).containsExactlyInAnyOrder("waiting stock:42 stock", "stock INTERRUPTED after 20 ms, ",
				"CancellationException");
	}

	@Test
	void threadThatIsInterruptedIsTold() {
		this.store.acquires().hold();
		Caller<?> caller = Caller.start(() -> this.engine.registry().acquire("stock:42", STOCK)).awaitParked();
		caller.interrupt();
		assertThat(caller.failure()).isInstanceOf(InterruptedException.class);
		assertThat(this.told).containsExactly("waiting stock:42 stock", "stock INTERRUPTED after 0 ms, ",
				"InterruptedException");
	}

	@Test
	void severalKeysWaitOnceAndAreAcquiredEach() throws InterruptedException {
		var both = this.engine.registry().obtainAll(List.of("b", "a"), STOCK);
		both.acquire();
		both.unlock();
		assertThat(this.told).containsExactly("waiting a, b stock", "stock acquired after 0 ms",
				"stock acquired after 0 ms", "got a lease", "stock released after 0 ms", "stock released after 0 ms");
	}

	@Test
	void severalKeysOfWhichOneIsBusyAreToldOnce() throws InterruptedException {
		Lease held = this.engine.lease("b", STOCK);
		this.told.clear();
		assertThat(this.engine.registry().obtainAll(List.of("a", "b"), STOCK).tryLock()).isFalse();
		assertThat(this.told).containsExactly("waiting a, b stock", "stock BUSY after 0 ms, app:1",
				"LockNotAcquiredException");
		held.close();
	}

	@Test
	void severalKeysThatAreGivenUpAreToldOnce() {
		this.store.jointAcquires().hold();
		CompletableFuture<List<Lease>> together = this.engine.registry().acquireAllAsync(List.of("a", "b"), STOCK);
		this.engine.tickMillis(20);
		together.cancel(true);
		assertThat(this.told).containsExactlyInAnyOrder("waiting a, b stock", "stock INTERRUPTED after 20 ms, ",
				"CancellationException");
		this.told.clear();
		Lease held = this.engine.lease("c", STOCK);
		this.told.clear();
		CompletableFuture<List<Lease>> oneByOne = this.engine.registry().acquireAllAsync(List.of("c", "d"), STOCK);
		oneByOne.cancel(true);
		assertThat(this.told).containsExactlyInAnyOrder("waiting c, d stock", "stock INTERRUPTED after 0 ms, ",
				"CancellationException");
		held.close();
	}

	@Test
	void renewalIsToldWithWhatWasLeft() {
		this.engine.lease("stock:42", STOCK);
		this.told.clear();
		this.engine.tickMillis(10_000);
		assertThat(this.told).containsExactly("stock renewed with 19698 ms left");
	}

	@Test
	void renewalThatHadToBeRepeatedIsToldAsLate() {
		this.engine.lease("stock:42", STOCK);
		this.told.clear();
		this.store.renewals().fail(new IllegalStateException("reset"));
		this.engine.tickMillis(12_000);
		this.store.renewals().answer((commands) -> commands.stream().map((command) -> true).toList());
		this.engine.tickMillis(4_000);
		assertThat(this.told).containsExactly("stock renewed late with 14698 ms left");
	}

	@Test
	void lossIsToldOnceAndIsNoRelease() {
		Lease lease = this.engine.lease("stock:42", STOCK.withRenew(false));
		this.told.clear();
		this.engine.tick(ManualEngine.TERM);
		lease.close();
		assertThat(this.told).containsExactly("stock lost EXPIRED");
	}

	@Test
	void releaseThatIsNotConfirmedIsTold() {
		Lease lease = this.engine.lease("stock:42", STOCK);
		this.told.clear();
		this.store.releases().fail(new IllegalStateException("reset"));
		lease.close();
		assertThat(this.told).containsExactly("stock released after 0 ms", "stock unconfirmed");
	}

	private final class RecordingMonitor implements LockMonitor {

		@Override
		public WaitObserver waiting(String key, String name) {
			LockMonitorTest.this.told.add("waiting " + key + " " + name);
			return (lease, failure) -> LockMonitorTest.this.told
				.add((failure != null) ? failure.getClass().getSimpleName() : "got a lease");
		}

		@Override
		public void acquired(Lease lease, long waited, boolean handedOn) {
			LockMonitorTest.this.told
				.add("%s %s after %d ms".formatted(lease.name(), handedOn ? "handed on" : "acquired", millis(waited)));
		}

		@Override
		public void notAcquired(String key, String name, Reason reason, long waited, List<String> holders) {
			LockMonitorTest.this.told
				.add("%s %s after %d ms, %s".formatted(name, reason, millis(waited), String.join(",", holders)));
		}

		@Override
		public void released(Lease lease, long held) {
			LockMonitorTest.this.told.add("%s released after %d ms".formatted(lease.name(), millis(held)));
		}

		@Override
		public void lost(Lease lease, LossCause cause) {
			LockMonitorTest.this.told.add("%s lost %s".formatted(lease.name(), cause));
		}

		@Override
		public void releaseUnconfirmed(Lease lease) {
			LockMonitorTest.this.told.add("%s unconfirmed".formatted(lease.name()));
		}

		@Override
		public void renewed(Lease lease, long margin, long ttl, boolean late) {
			assertThat(ttl).isEqualTo(ManualEngine.TTL.toNanos());
			LockMonitorTest.this.told
				.add("%s renewed%s with %d ms left".formatted(lease.name(), late ? " late" : "", millis(margin)));
		}

		private static long millis(long nanos) {
			return TimeUnit.NANOSECONDS.toMillis(nanos);
		}

	}

	private static final class FailingMonitor implements LockMonitor {

		@Override
		public WaitObserver waiting(String key, String name) {
			throw new IllegalStateException("broken");
		}

		@Override
		public void acquired(Lease lease, long waited, boolean handedOn) {
			throw new IllegalStateException("broken");
		}

		@Override
		public void released(Lease lease, long held) {
			throw new AssertionError("broken");
		}

	}

}
