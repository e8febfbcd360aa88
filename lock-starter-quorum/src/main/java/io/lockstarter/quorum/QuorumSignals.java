// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.function.Consumer;

import io.lockstarter.store.LockStore.Signals;
import io.lockstarter.platform.StateChanges;
import io.lockstarter.platform.Timer;

/**
 * Makes the signals of several nodes those of one: what a majority says is told, once. A
 * reservation, or a waiter, that only some speak of is told after a moment, as the others
 * may have none. Thread-safe.
 */
final class QuorumSignals {

	private static final long MOMENT = Duration.ofMillis(50).toNanos();

	private final Signals signals;

	private final int majority;

	private final Timer timer;

	private final SignalCounts counts;

	private final boolean[] listening;

	private final StateChanges changes;

	QuorumSignals(Signals signals, int nodes, int majority, Timer timer) {
		this.signals = signals;
		this.majority = majority;
		this.timer = timer;
		this.counts = new SignalCounts(nodes);
		this.listening = new boolean[nodes];
		this.changes = new StateChanges(false, signals::listening);
	}

	Signals of(int node) {
		return new OfNode(node);
	}

	private void listening(int node, boolean active) {
		synchronized (this.listening) {
			this.listening[node] = active;
			int count = 0;
			for (boolean each : this.listening) {
				count += each ? 1 : 0;
			}
			this.changes.note(count >= this.majority);
		}
		this.changes.tell();
	}

	private final class OfNode implements Signals {

		private final int node;

		OfNode(int node) {
			this.node = node;
		}

		@Override
		public void reserved(String key) {
			tellSoon("r" + key, (signals) -> signals.reserved(key));
		}

		/**
		 * A holder that has not all votes may not hear of it from a majority.
		 */
		@Override
		public void contended(String key) {
			tellSoon("c" + key, (signals) -> signals.contended(key));
		}

		@Override
		public void forced(String key, String ownerId) {
			tell("f" + ownerId + " " + key, (signals) -> signals.forced(key, ownerId));
		}

		@Override
		public void listening(boolean active) {
			QuorumSignals.this.listening(this.node, active);
		}

		/**
		 * Tell what a majority says, and after a moment what only some say.
		 */
		private void tellSoon(String signal, Consumer<Signals> told) {
			QuorumSignals all = QuorumSignals.this;
			if (all.counts.isDue(signal, this.node, all.majority)) {
				told.accept(all.signals);
				return;
			}
			long number = all.counts.number(signal, this.node);
			Runnable tell = () -> {
				if (all.counts.isDueAllTheSame(signal, number)) {
					told.accept(all.signals);
				}
			};
			try {
				all.timer.schedule(tell, MOMENT);
			}
			catch (RuntimeException | Error ex) {
				// No thread, for a moment.
				tell.run();
			}
		}

		private void tell(String signal, Consumer<Signals> told) {
			if (QuorumSignals.this.counts.isDue(signal, this.node, QuorumSignals.this.majority)) {
				told.accept(QuorumSignals.this.signals);
			}
		}

	}

}
