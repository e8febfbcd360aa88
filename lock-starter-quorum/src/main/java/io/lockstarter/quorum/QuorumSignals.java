// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import io.lockstarter.platform.StateChanges;
import io.lockstarter.store.LockStore.Signals;

/**
 * Makes the signals of several nodes those of one: each is passed on as it comes, so that
 * an instance may be told by every node, and they are received as long as a majority
 * gives them. Thread-safe.
 */
final class QuorumSignals {

	private final Signals signals;

	private final HeldKeys keys;

	private final int majority;

	private final StateChanges changes;

	// nodes that give signals, as bits; guarded by this
	private int listening;

	QuorumSignals(Signals signals, HeldKeys keys, int majority) {
		this.signals = signals;
		this.keys = keys;
		this.majority = majority;
		this.changes = new StateChanges(false, signals::listening);
	}

	Signals of(int node) {
		return new OfNode(node);
	}

	private final class OfNode implements Signals {

		private final int node;

		OfNode(int node) {
			this.node = node;
		}

		@Override
		public void reserved(String key) {
			QuorumSignals.this.signals.reserved(key);
		}

		@Override
		public void contended(String key) {
			QuorumSignals.this.signals.contended(key);
		}

		@Override
		public void forced(String key, String ownerId) {
			QuorumSignals all = QuorumSignals.this;
			if (all.keys.isForced(this.node, key, ownerId, all.majority)) {
				all.signals.forced(key, ownerId);
			}
		}

		@Override
		public void listening(boolean active) {
			QuorumSignals all = QuorumSignals.this;
			synchronized (all) {
				int others = all.listening & ~(1 << this.node);
				all.listening = active ? others | 1 << this.node : others;
				all.changes.note(Integer.bitCount(all.listening) >= all.majority);
			}
			all.changes.tell();
		}

	}

}
