// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.store.LockStore.Acquired;
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
		public void granted(String key, String ownerId, Acquired tokens) {
			JoinedSignals.this.signals.granted(key, ownerId, tokens);
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
