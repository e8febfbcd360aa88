// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * What a key is retained with: the ownership of its last holder here, which stays at the
 * store although nobody has a lease, so that the next acquirer needs no round trip. A key
 * is retained once it was used again here soon enough. Nothing retained is renewed.
 * Guarded by the mutex of its {@link LocalQueue}.
 * <p>
 * As with locks that file systems cache in a cluster (GFS2, CTDB), whoever wants the key
 * elsewhere recalls it by a message, which may be lost: the time is short, and each reuse
 * asks the store once in a poll interval.
 */
final class Retention {

	private final String key;

	private final Services services;

	private final QueueHost host;

	private @Nullable Ownership ownership;

	private String name = "";

	// up to MOST_CREDIT
	private int reuses;

	private volatile long until = Ticker.NEVER;

	Retention(String key, Services services, QueueHost host) {
		this.key = key;
		this.services = services;
		this.host = host;
	}

	boolean isEmpty() {
		return this.ownership == null;
	}

	/**
	 * Return the name of the lock that was released last.
	 */
	String name() {
		return this.name;
	}

	/**
	 * Return up to when the key is retained; {@link Ticker#NEVER} if it is not. May be
	 * called without the mutex.
	 */
	long until() {
		return this.until;
	}

	/**
	 * Return whether the key is retained by such an owner id.
	 */
	boolean isBy(String ownerId) {
		return this.ownership != null && this.ownership.ownerId().equals(ownerId);
	}

	/**
	 * Retain the key of a lease that was released, if its holder wants that, others can
	 * recall it, and retaining it the last time brought something, or would have.
	 * @param contended whether another instance waits for it already
	 * @return whether it is retained
	 */
	boolean begin(DefaultLease lease, boolean contended) {
		Ownership released = lease.ownership();
		if (lease.retention() == 0 || !released.isRetainable() || !this.host.listensSince(released.askedAt())) {
			return false;
		}
		long now = this.services.now();
		long end = Math.min(Ticker.plus(now, lease.retention()), released.coversUntil());
		if (contended) {
			this.services.retentionPolicy().notRetained(this.key, this.reuses, end, now);
			this.reuses = 0;
			return false;
		}
		if (now >= end || !this.services.retentionPolicy().begin(this.key, released, end, now)) {
			return false;
		}
		this.ownership = released;
		this.name = lease.name();
		this.until = end;
		this.host.retaining(end);
		return true;
	}

	/**
	 * Take what is retained, for the next acquirer here.
	 * @return what was retained; {@code null} if nothing was
	 */
	@Nullable Ownership take() {
		Ownership retained = this.ownership;
		if (retained != null) {
			this.ownership = null;
			this.until = Ticker.NEVER;
			this.services.retentionPolicy().end();
		}
		return retained;
	}

	/**
	 * That needed no command.
	 */
	void reused() {
		this.reuses = Math.min(this.reuses + 1, RetentionPolicy.MOST_CREDIT);
	}

	/**
	 * End the retention.
	 * @return what was retained; {@code null} if nothing was
	 */
	@Nullable Ownership end() {
		if (this.ownership != null) {
			this.services.retentionPolicy().ended(this.key, this.reuses, this.services.now());
			this.reuses = 0;
		}
		return take();
	}

	/**
	 * End the retention, as another instance wants the key.
	 * @return what was retained; {@code null} if nothing was
	 */
	@Nullable Ownership recall() {
		if (this.ownership != null) {
			this.services.retentionPolicy().recalled(this.key, this.reuses, this.until, this.services.now());
			this.reuses = 0;
		}
		return take();
	}

}
