// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * What servers lost of what processes believe to have, each until somebody is told. A
 * loss is that of an owner id, which may stand for one lease after the other, and for
 * several that share a key.
 */
final class Losses {

	/**
	 * How long a command and what follows from its answer take where nothing is wrong.
	 */
	static final long ANSWERED = 250 * World.MILLI;

	private final LongSupplier now;

	private final Disturbed disturbed;

	private final BiConsumer<Rule, String> violated;

	private final List<Loss> losses = new ArrayList<>();

	Losses(LongSupplier now, Disturbed disturbed, BiConsumer<Rule, String> violated) {
		this.now = now;
		this.disturbed = disturbed;
		this.violated = violated;
	}

	boolean isEmpty() {
		return this.losses.isEmpty();
	}

	/**
	 * Note that a server lost what an owner id had there.
	 * @param shared whether it shared the key
	 * @param voted whether others may have it yet, so that nothing is lost before another
	 * owner id has the key
	 * @param leases what its process believes to have
	 */
	void lost(String key, String ownerId, boolean shared, boolean voted, List<Grant> leases) {
		if (this.losses.stream().noneMatch((loss) -> loss.is(key, ownerId))) {
			this.losses.add(new Loss(key, ownerId, shared, voted, this.now.getAsLong(), new ArrayList<>(leases)));
		}
	}

	/**
	 * Note who has a key at the servers after a command.
	 * @param mentions whether the command names an owner id
	 */
	void seen(String key, Holders before, Holders after, Predicate<String> mentions) {
		for (Iterator<Loss> all = this.losses.iterator(); all.hasNext();) {
			Loss loss = all.next();
			if (!loss.key.equals(key)) {
				continue;
			}
			boolean back = after.has(loss.ownerId) && !before.has(loss.ownerId) && mentions.test(loss.ownerId);
			if (back && loss.taker == null) {
				// Nobody had it in between.
				all.remove();
			}
			else if (back) {
				loss.isBack = true;
				if (loss.leases.isEmpty()) {
					all.remove();
				}
			}
			else if (loss.taker == null) {
				String taker = after.excluding(loss.ownerId, loss.isShared());
				if (taker != null) {
					loss.taken(taker, this.now.getAsLong());
				}
			}
		}
	}

	/**
	 * Note a lease of an owner id, which its process got, or hands on.
	 */
	void granted(Grant grant) {
		for (Loss loss : this.losses) {
			if (loss.is(grant.lease.key(), grant.lease.ownerId()) && !loss.isBack) {
				loss.add(grant);
			}
		}
	}

	/**
	 * Note that the listeners were told of the loss of a lease.
	 */
	void told(LeaseView lease) {
		this.losses.removeIf((loss) -> loss.is(lease.key(), lease.ownerId()));
	}

	/**
	 * Note that the listeners were told that nobody knows what became of a release.
	 */
	void unconfirmed(String key, String ownerId) {
		this.losses.removeIf((loss) -> loss.is(key, ownerId));
	}

	/**
	 * Note that a process ended.
	 */
	void gone(Clock clock) {
		this.losses.removeIf((loss) -> loss.leases.stream().anyMatch((grant) -> grant.clock == clock));
	}

	/**
	 * Note that servers may have again what they lost.
	 */
	void restored(Predicate<String> keys) {
		this.losses.removeIf((loss) -> keys.test(loss.key));
	}

	/**
	 * Check that each loss is told: with the next renewal, the next command or at the
	 * deadline, and that nothing is confirmed which another one had in between.
	 */
	void step() {
		for (Iterator<Loss> all = this.losses.iterator(); all.hasNext();) {
			Loss loss = all.next();
			if (loss.leases.isEmpty()) {
				continue;
			}
			List<Grant> held = loss.leases.stream().filter((grant) -> grant.lease.isActive()).toList();
			if (loss.leases.stream().anyMatch((grant) -> grant.lease.lossCause() != null)) {
				// That this is told is looked after for each lease.
				all.remove();
			}
			else if (loss.voted && loss.taker == null && held.isEmpty()) {
				// Released before anybody else had it.
				all.remove();
			}
			else if (loss.taker != null && !loss.isBack && held.stream().anyMatch(loss::isConfirmed)) {
				this.violated.accept(Rule.REVIVED, loss + " was renewed");
				all.remove();
			}
			else if (isOverdue(loss, held)) {
				this.violated.accept(Rule.LOSS_NOT_TOLD, loss + " and nobody was told");
				all.remove();
			}
		}
	}

	private boolean isOverdue(Loss loss, List<Grant> held) {
		long time = this.now.getAsLong();
		Grant first = loss.leases.get(0);
		long since = loss.voted ? loss.takenAt : loss.at;
		if ((loss.voted && loss.taker == null) || this.disturbed.isSince(first.holder, loss.at)) {
			return false;
		}
		if (held.isEmpty()) {
			loss.endedAt = Math.min(loss.endedAt, time);
			return time > Math.max(since, loss.endedAt) + ANSWERED;
		}
		// Others end at their deadlines at the latest.
		return held.stream()
			.allMatch((grant) -> grant.lease.isRenewed() && !grant.late
					&& time > Math.max(since, grant.since) + grant.lease.ttl() / 3 + ANSWERED);
	}

	/**
	 * Tells whether a fault may have kept a process from its commands.
	 */
	interface Disturbed {

		boolean isSince(String holder, long time);

	}

	private static final class Loss {

		final String key;

		final String ownerId;

		final boolean shared;

		final boolean voted;

		final long at;

		final List<Grant> leases;

		// who had the key in between
		@Nullable String taker;

		long takenAt = Long.MAX_VALUE;

		// by the clock of the process
		long takenNanos = Long.MAX_VALUE;

		// whether the owner id acquired the key anew
		boolean isBack;

		long endedAt = Long.MAX_VALUE;

		Loss(String key, String ownerId, boolean shared, boolean voted, long at, List<Grant> leases) {
			this.key = key;
			this.ownerId = ownerId;
			this.shared = shared;
			this.voted = voted;
			this.at = at;
			this.leases = leases;
		}

		/**
		 * Return whether others may have the key at the same time, from the beginning or
		 * by now.
		 */
		boolean isShared() {
			return this.shared || this.leases.stream().anyMatch((grant) -> grant.shared);
		}

		boolean is(String key, String ownerId) {
			return this.key.equals(key) && this.ownerId.equals(ownerId);
		}

		void taken(String taker, long now) {
			this.taker = taker;
			this.takenAt = now;
			this.leases.stream().findFirst().ifPresent((grant) -> this.takenNanos = grant.clock.nanoTime());
		}

		void add(Grant grant) {
			this.leases.add(grant);
			this.endedAt = Long.MAX_VALUE;
			if (this.taker != null) {
				this.takenNanos = Math.min(this.takenNanos, grant.clock.nanoTime());
			}
		}

		/**
		 * Return whether a command confirmed a lease that was sent after another one had
		 * the key.
		 */
		boolean isConfirmed(Grant grant) {
			return grant.lease.deadline() - this.takenNanos > grant.lease.ttl();
		}

		@Override
		public String toString() {
			return "%s of %s vanished at %s%s,%s %s".formatted(this.key, this.ownerId, World.time(this.at),
					(this.taker != null) ? ", %s had it at %s".formatted(this.taker, World.time(this.takenAt)) : "",
					this.isBack ? " it was acquired anew," : "", this.leases.get(this.leases.size() - 1));
		}

	}

}
