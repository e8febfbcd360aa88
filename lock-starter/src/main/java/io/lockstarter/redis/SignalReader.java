// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import io.lockstarter.redis.connection.Subscriber;
import io.lockstarter.store.LockStore.Signals;

/**
 * Reads the messages that come over the channel of an instance. Without them waiters wait
 * longer, and nothing else changes.
 */
record SignalReader(Signals signals) implements Subscriber {

	@Override
	public void message(String payload) {
		if (payload.length() < 2) {
			return;
		}
		String key = payload.substring(1);
		switch (payload.charAt(0)) {
			case 'r' -> this.signals.reserved(key);
			case 'c' -> this.signals.contended(key);
			case 'f' -> {
				// An owner id has no spaces.
				int end = key.indexOf(' ');
				if (end > 0) {
					this.signals.forced(key.substring(end + 1), key.substring(0, end));
				}
			}
			default -> {
				// Not ours, or of a later version.
			}
		}
	}

	@Override
	public void listening(boolean active) {
		this.signals.listening(active);
	}

}
