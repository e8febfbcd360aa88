// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lockstarter.redis.connection.Subscriber;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Signals;

/**
 * Reads the messages that come over the channel of an instance. Without them waiters wait
 * longer, and nothing else changes.
 */
record SignalReader(String instance, Signals signals) implements Subscriber {

	// The first token, how many there are, "*" if others wait, and the key.
	private static final Pattern GRANT = Pattern.compile("(\\d{1,18}) (\\d{1,9})(\\*?) (.*)", Pattern.DOTALL);

	@Override
	public void message(String payload) {
		if (payload.length() < 2) {
			return;
		}
		String key = payload.substring(1);
		switch (payload.charAt(0)) {
			case 'r' -> this.signals.reserved(key);
			case 'g' -> granted(key);
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

	private void granted(String text) {
		Matcher grant = GRANT.matcher(text);
		if (grant.matches()) {
			long first = Long.parseLong(grant.group(1));
			long last = first + Long.parseLong(grant.group(2)) - 1;
			this.signals.granted(grant.group(4), this.instance + ":g" + first,
					new Acquired(first, last, !grant.group(3).isEmpty()));
		}
	}

	@Override
	public void listening(boolean active) {
		this.signals.listening(active);
	}

}
