// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import io.lockstarter.platform.StateChanges;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Signals;

/**
 * Makes the signals of several subscriptions those of one, which listens as long as all
 * of them do. Thread-safe.
 */
final class JoinedSignals {

	private final Signals signals;

	private final int parts;

	private final StateChanges changes;

	// how many do; guarded by this
	private int listening;

	JoinedSignals(Signals signals, int parts) {
		this.signals = signals;
		this.parts = parts;
		this.changes = new StateChanges(false, signals::listening);
	}

	/**
	 * Create the signals of another one of the subscriptions.
	 */
	Signals part() {
		return (this.parts == 1) ? this.signals : new Part();
	}

	private final class Part implements Signals {

		private boolean active;

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
			JoinedSignals all = JoinedSignals.this;
			synchronized (all) {
				if (this.active != now) {
					this.active = now;
					all.listening += now ? 1 : -1;
					all.changes.note(all.listening == all.parts);
				}
			}
			all.changes.tell();
		}

	}

}
