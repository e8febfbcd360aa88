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
