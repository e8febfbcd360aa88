/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
