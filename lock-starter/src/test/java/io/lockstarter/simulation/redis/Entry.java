// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation.redis;

/**
 * A key's value, and its end. Immutable.
 *
 * @param value what it holds
 * @param expiresAt when it expires, in ms by the clock of the server; {@link #NEVER} if
 * it does not
 */
public record Entry(Stored value, long expiresAt) {

	/** The end of what does not expire. */
	static final long NEVER = -1;

	/**
	 * Return whether it expires at all.
	 * @return whether it does
	 */
	public boolean expires() {
		return this.expiresAt != NEVER;
	}

	boolean isOver(long now) {
		return this.expiresAt != NEVER && now > this.expiresAt;
	}

	Entry holding(Stored other) {
		return new Entry(other, this.expiresAt);
	}

	Entry until(long end) {
		return new Entry(this.value, end);
	}

}
