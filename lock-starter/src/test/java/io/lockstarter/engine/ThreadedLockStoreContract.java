// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Signals;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every {@link LockStore} must do whose callers have threads of their own.
 */
public abstract class ThreadedLockStoreContract extends LockStoreContract {

	private static final Duration TTL = Duration.ofMinutes(1);

	private final String prefix = "threads:" + UUID.randomUUID();

	protected ThreadedLockStoreContract() {
	}

	protected ThreadedLockStoreContract(Duration brief) {
		super(brief);
	}

	/**
	 * Return for how long to do things at random.
	 * @return the duration
	 */
	protected Duration fuzzing() {
		return Duration.ofMillis(1500);
	}

	@Test
	void aSignalReachesItsReceiverOffTheCallersThread() {
		String holder = "a-" + this.prefix;
		String other = "b-" + this.prefix;
		CompletableFuture<Void> listening = new CompletableFuture<>();
		CompletableFuture<Thread> contended = new CompletableFuture<>();
		store().listen(holder, new Signals() {

			@Override
			public void reserved(String key) {
			}

			@Override
			public void contended(String key) {
				contended.complete(Thread.currentThread());
			}

			@Override
			public void listening(boolean active) {
				listening.complete(null);
			}

		});
		listening.join();
		store().acquire(new Acquire(this.prefix, holder, holder + ":1", TTL, false, 1)).join();
		store().acquire(new Acquire(this.prefix, other, other + ":1", TTL, true, 1)).join();
		assertThat(contended).succeedsWithin(Duration.ofSeconds(5)).isNotSameAs(Thread.currentThread());
	}

	@Test
	void holdsNeverOverlapAndTokensAlwaysGrow() {
		new LockStoreFuzzer(store(), this.prefix).run(fuzzing());
	}

}
