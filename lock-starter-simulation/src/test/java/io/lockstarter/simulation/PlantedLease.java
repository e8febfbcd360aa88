// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * A lease as a test wants it to be.
 */
final class PlantedLease implements LeaseView {

	private final String ownerId;

	private final long token;

	String key = "k";

	long ownerSince;

	long deadline = 100 * World.MILLI;

	long ttl = 100 * World.MILLI;

	boolean shared;

	boolean active = true;

	boolean renewed = true;

	@Nullable LossCause lossCause;

	PlantedLease(String ownerId, long token) {
		this.ownerId = ownerId;
		this.token = token;
	}

	PlantedLease lost(LossCause cause) {
		this.active = false;
		this.lossCause = cause;
		return this;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public String ownerId() {
		return this.ownerId;
	}

	@Override
	public long token() {
		return this.token;
	}

	@Override
	public boolean isAskedShared() {
		return this.shared;
	}

	@Override
	public boolean isActive() {
		return this.active;
	}

	@Override
	public long deadline() {
		return this.deadline;
	}

	@Override
	public long ownerSince() {
		return this.ownerSince;
	}

	@Override
	public boolean isRenewed() {
		return this.renewed;
	}

	@Override
	public long ttl() {
		return this.ttl;
	}

	@Override
	public @Nullable LossCause lossCause() {
		return this.lossCause;
	}

}
