// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.store.LockStore.Signals;
import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.engine.ThreadedLockStoreContract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link MemoryLockStore}: the contract, and what a clock in the test's hand
 * shows besides.
 */
class MemoryLockStoreTest extends ThreadedLockStoreContract {

	private static final Duration TTL = Duration.ofSeconds(10);

	private final MemoryLockStore store = new MemoryLockStore();

	// Near the overflow, which System.nanoTime() may reach at any time.
	private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - Duration.ofSeconds(5).toNanos());

	private final MemoryLockStore ticking = new MemoryLockStore(new ForwardingPlatform() {

		@Override
		public long nanoTime() {
			return MemoryLockStoreTest.this.nanos.get();
		}

	});

	MemoryLockStoreTest() {
		// No command waits for a server.
		super(Duration.ofMillis(250));
	}

	@Override
	protected LockStore store() {
		return this.store;
	}

	@Test
	void aKeyThatIsKeptIsNotFoundByEarlierCommandsOfItsOwnerId() {
		MemoryLockStore store = new MemoryLockStore();
		Acquire command = new Acquire("stock:42", "a", "a:1", Duration.ofMinutes(1), false, 1);
		Renew kept = new Renew("stock:42", "a:1", Duration.ofHours(1));
		store.acquire(command).join();
		assertThat(store.keep(kept).join()).isTrue();
		assertThat(store.acquire(command).join()).isInstanceOf(Busy.class);
		assertThat(store.renew(List.of(new Renew("stock:42", "a:1", Duration.ofMinutes(1)))).join())
			.containsExactly(false);
		assertThat(store.release(new Release("stock:42", "a", "a:1", false)).join()).isFalse();
		assertThat(store.inspect("stock:42").join().lock().remaining()).isGreaterThan(Duration.ofMinutes(59));
		assertThat(store.keep(kept).join()).isTrue();
		assertThat(store.forceRelease("stock:42", "a:1").join()).isTrue();
		assertThat(store.acquire(command).join()).isInstanceOf(Acquired.class);
	}

	@Test
	void aKeyExpiresExactlyWhenItsTtlHasPassed() {
		take("k", "a");
		advance(TTL.minusNanos(1));
		Busy busy = (Busy) this.ticking.acquire(command("k", "b", false)).join();
		assertThat(busy.remaining()).isEqualTo(Duration.ofNanos(1));
		advance(Duration.ofNanos(1));
		take("k", "b");
	}

	@Test
	void aRenewalCountsFromTheTimeOfTheRenewal() {
		take("k", "a");
		advance(Duration.ofSeconds(9));
		assertThat(renew("k", "a")).isTrue();
		advance(Duration.ofSeconds(9));
		assertThat(renew("k", "a")).isTrue();
		advance(TTL);
		assertThat(renew("k", "a")).isFalse();
	}

	@Test
	void aReservationLastsAQuarterOfASecond() {
		this.ticking.listen("b", mock(Signals.class));
		take("k", "a");
		this.ticking.acquire(command("k", "b", true)).join();
		release("k", "a");
		advance(Duration.ofMillis(249));
		Busy busy = (Busy) this.ticking.acquire(command("k", "c", false)).join();
		assertThat(busy.holder()).isNull();
		assertThat(busy.remaining()).isEqualTo(Duration.ofMillis(1));
		advance(Duration.ofMillis(1));
		take("k", "c");
	}

	@Test
	void tokensComeInBlocksThatStartAtTheWallClockInMicroseconds() {
		long before = System.currentTimeMillis() * 1000;
		Acquired acquired = take("k", "a");
		assertThat(acquired.firstToken()).isBetween(before, System.currentTimeMillis() * 1000);
		assertThat(acquired.lastToken()).isEqualTo(acquired.firstToken() + 9);
	}

	@Test
	void tokensGrowAlthoughTheyAreHandedOutFasterThanTheClockTicks() {
		long last = 0;
		for (int i = 0; i < 1_000; i++) {
			Acquired acquired = take("k", "a");
			assertThat(acquired.firstToken()).isGreaterThan(last);
			last = acquired.lastToken();
			release("k", "a");
		}
	}

	@Test
	void nothingIsRememberedOfAKeyThatWasReleased() {
		take("k", "a");
		assertThat(this.ticking.size()).isOne();
		release("k", "a");
		this.ticking.leave("k", "b").join();
		renew("k", "a");
		assertThat(this.ticking.size()).isZero();
	}

	@Test
	void keysThatWereLeftToTheirTtlAreForgotten() {
		for (int i = 0; i < 20_000; i++) {
			take("k" + i, "a");
			this.ticking.acquire(command("k" + i, "b", true)).join();
			advance(Duration.ofMillis(100));
		}
		assertThat(this.ticking.size()).isLessThan(2_000);
	}

	@Test
	void aHeldKeyIsNeverForgotten() {
		List<CompletableFuture<?>> replies = new ArrayList<>();
		for (int i = 0; i < 5_000; i++) {
			take("k" + i, "a");
		}
		for (int i = 0; i < 5_000; i++) {
			replies.add(this.ticking.acquire(command("k" + i, "b", false)));
		}
		assertThat(replies).allSatisfy((reply) -> assertThat(reply.join()).isInstanceOf(Busy.class));
	}

	private Acquired take(String key, String instance) {
		return (Acquired) this.ticking.acquire(command(key, instance, false)).join();
	}

	private void release(String key, String instance) {
		assertThat(this.ticking.release(new Release(key, instance, instance + ":1", false)).join()).isTrue();
	}

	private boolean renew(String key, String instance) {
		return this.ticking.renew(List.of(new Renew(key, instance + ":1", TTL))).join().get(0);
	}

	private Acquire command(String key, String instance, boolean enqueue) {
		return new Acquire(key, instance, instance + ":1", TTL, enqueue, 10);
	}

	private void advance(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	@Test
	void keysCanBeShared() {
		assertThat(store().isShareable()).isTrue();
	}

}
