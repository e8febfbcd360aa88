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
package io.lockstarter.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.store.LockStore.Signals;

/**
 * Makes the signals of several subscriptions those of one, which listens as long as all
 * of them do. Thread-safe.
 */
final class JoinedSignals {

	private final Signals signals;

	private final int parts;

	private final AtomicInteger listening = new AtomicInteger();

	// How many changes are to be told; one thread at a time tells, and holds no lock.
	private final AtomicInteger changes = new AtomicInteger();

	private boolean told;

	JoinedSignals(Signals signals, int parts) {
		this.signals = signals;
		this.parts = parts;
	}

	/**
	 * Create the signals of another one of the subscriptions.
	 */
	Signals part() {
		return (this.parts == 1) ? this.signals : new Part();
	}

	private void changed(int by) {
		this.listening.addAndGet(by);
		if (this.changes.getAndIncrement() > 0) {
			return;
		}
		int seen = 1;
		do {
			boolean all = this.listening.get() == this.parts;
			if (all != this.told) {
				this.told = all;
				this.signals.listening(all);
			}
			seen = this.changes.addAndGet(-seen);
		}
		while (seen > 0);
	}

	private final class Part implements Signals {

		private final AtomicBoolean active = new AtomicBoolean();

		@Override
		public void reserved(String key) {
			JoinedSignals.this.signals.reserved(key);
		}

		@Override
		public void contended(String key) {
			JoinedSignals.this.signals.contended(key);
		}

		@Override
		public void forced(String key, String ownerId) {
			JoinedSignals.this.signals.forced(key, ownerId);
		}

		@Override
		public void listening(boolean now) {
			if (this.active.compareAndSet(!now, now)) {
				changed(now ? 1 : -1);
			}
		}

	}

}
