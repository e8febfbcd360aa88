// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import org.jspecify.annotations.Nullable;

/**
 * Which servers carried out the commands of a line, one after the other: what decides
 * which one may be the next, and what it is asked. Servers are known by their run id, if
 * they tell it. Guarded by the monitor of the line.
 */
final class Succession {

	// of who answered a call last that asked it
	private @Nullable String last;

	private @Nullable String left;

	private long leftAt;

	/**
	 * Return whether calls were answered by another process last.
	 */
	boolean isFromAnother(@Nullable String runId) {
		return this.last != null && !this.last.equals(runId);
	}

	/**
	 * Note which process answered a call that asked it.
	 */
	void followed(@Nullable String runId) {
		this.last = runId;
	}

	/**
	 * Return whether to go from one server to another. Nothing is sent to one that was
	 * left unless it is reported as the primary.
	 */
	boolean isNext(@Nullable String runId, @Nullable String current, boolean reported, long now) {
		// A Sentinel that does not know the new primary yet names the one before.
		boolean back = runId != null && runId.equals(this.left) && now - this.leftAt < BatchScript.TAKEOVER.toNanos();
		boolean same = runId != null && runId.equals(current);
		return !same && (!back || reported);
	}

	/**
	 * Note which server is left as another one is the primary.
	 */
	void left(@Nullable String runId, long now) {
		this.left = runId;
		this.leftAt = now;
	}

}
