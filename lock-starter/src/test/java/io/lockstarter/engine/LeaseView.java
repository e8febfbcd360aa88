// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * What its holder knows of a lease, without looking at the clock: to ask a lease whether
 * it is valid may end it.
 */
public interface LeaseView {

	String key();

	String ownerId();

	long token();

	/**
	 * Return whether it was asked for in shared mode, whatever was granted.
	 */
	boolean isAskedShared();

	/**
	 * Return whether it was neither released nor seen lost.
	 */
	boolean isActive();

	/**
	 * Return up to when it is held, by the clock of its holder.
	 */
	long deadline();

	/**
	 * Return when the first command of its owner id was sent, by the clock of its holder;
	 * or, if a release elsewhere granted the key, when that was at the earliest.
	 */
	long ownerSince();

	/**
	 * Return whether the watchdog still renews it, or would.
	 */
	boolean isRenewed();

	long ttl();

	@Nullable LossCause lossCause();

}
