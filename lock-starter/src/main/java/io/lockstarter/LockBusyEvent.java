// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import java.time.Duration;
import java.util.List;

/**
 * Event of a key that stayed busy for the wait time: told to {@link LockListener#busy
 * listeners}, and published as an application event if
 * {@code distributed-lock.publish-all-events} is set. Event listeners are called one
 * after the other on a thread of the registry.
 *
 * @since 0.1
 */
public final class LockBusyEvent {

	private final String key;

	private final String name;

	private final Duration waited;

	private final List<String> holders;

	/**
	 * Create the event.
	 * @param key the key that stayed busy
	 * @param name the name of the lock
	 * @param waited how long the acquirer waited
	 * @param holders the owner ids of the holders
	 */
	public LockBusyEvent(String key, String name, Duration waited, List<String> holders) {
		this.key = key;
		this.name = name;
		this.waited = waited;
		this.holders = List.copyOf(holders);
	}

	/**
	 * Return the key that stayed busy.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return the name of the lock.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return how long the acquirer waited.
	 * @return the time from its call to its end
	 */
	public Duration waited() {
		return this.waited;
	}

	/**
	 * Return the owner ids of the holders.
	 * @return the owner ids; empty if not known
	 */
	public List<String> holders() {
		return this.holders;
	}

	@Override
	public String toString() {
		return "LockBusyEvent[key=%s, name=%s, waited=%s, holders=%s]".formatted(this.key, this.name, this.waited,
				this.holders);
	}

}
