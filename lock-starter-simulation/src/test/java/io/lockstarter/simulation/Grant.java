// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * A lease that was granted, as the checks see it.
 */
final class Grant {

	final String holder;

	final Clock clock;

	final LeaseView lease;

	final long since;

	/**
	 * Whether most of the ttl had passed when it was granted, as the command waited for a
	 * connection: then a renewal may come too late.
	 */
	final boolean late;

	/**
	 * Whether a fault broke an assumption that this lease rests on, and no server has
	 * confirmed it since.
	 */
	boolean tainted;

	/**
	 * When the last such fault was.
	 */
	long taintedAt = Long.MIN_VALUE;

	/**
	 * Whether there ever was one, so that what was read before may be outdated.
	 */
	boolean doubtful;

	/**
	 * Whether its deadline has passed, so that it never comes back.
	 */
	boolean over;

	boolean told;

	/**
	 * Whether its holder has an action for its loss, and that has run.
	 */
	boolean hasAction;

	boolean acted;

	@Nullable LossCause cause;

	long endedAt = -1;

	/**
	 * Up to when it may be held by the clock of its holder, as it is not renewed for
	 * ever.
	 */
	long longest = Long.MAX_VALUE;

	/**
	 * The ttl that its caller got; 0 until then, and if he asked for more since.
	 */
	long ttl;

	/**
	 * How much of it was left when it was granted, if it was passed on in its process.
	 */
	long leftWhenPassedOn = Long.MAX_VALUE;

	/**
	 * Whether others may hold the key at the same time, from the beginning or by now.
	 */
	boolean shared;

	/**
	 * Whether its registry was stopped since, which hears nothing of releases by force
	 * then.
	 */
	boolean outlivesRegistry;

	/**
	 * Whether it may not be shared, as far as its process knows.
	 */
	boolean maybeAlone;

	Grant(String holder, Clock clock, LeaseView lease, long since) {
		this.holder = holder;
		this.clock = clock;
		this.lease = lease;
		this.since = since;
		this.shared = lease.isAskedShared();
		this.late = clock.worldTime(lease.deadline()) - since < lease.ttl() / 3;
	}

	void taint(long time) {
		this.tainted = true;
		this.doubtful = true;
		this.taintedAt = Math.max(this.taintedAt, time);
	}

	/**
	 * Return whether a command confirmed it that was sent after the last fault.
	 */
	boolean isConfirmed() {
		return this.clock.worldTime(this.lease.deadline()) > this.taintedAt + this.lease.ttl();
	}

	/**
	 * Return whether all who are to be told of its loss were told.
	 */
	boolean isTold() {
		return this.told && (this.acted || !this.hasAction);
	}

	/**
	 * Return whether its holder may say that it holds the key now.
	 */
	boolean isHeld() {
		return this.lease.isActive() && this.clock.nanoTime() < this.lease.deadline();
	}

	@Override
	public String toString() {
		return "%s %s%s token %d of %s since %s, deadline %s%s".formatted(this.lease.key(), this.lease.ownerId(),
				this.shared ? " shared" : "", this.lease.token(), this.holder, World.time(this.since),
				World.time(this.clock.worldTime(this.lease.deadline())), this.tainted ? ", tainted" : "");
	}

}
