// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.lockstarter.Lease;
import io.lockstarter.LossCause;

/**
 * The lease of a leader as a critical section has it: closing it ends the section and not
 * the leadership. What the section registered with the lease, which lasts longer, is
 * taken back then.
 */
final class Section implements Lease {

	private final Lease lease;

	private final Consumer<Section> leave;

	private final List<Registration> registrations = new ArrayList<>();

	private volatile boolean closed;

	Section(Lease lease, Consumer<Section> leave) {
		this.lease = lease;
		this.leave = leave;
	}

	@Override
	public String key() {
		return this.lease.key();
	}

	@Override
	public String name() {
		return this.lease.name();
	}

	@Override
	public String ownerId() {
		return this.lease.ownerId();
	}

	@Override
	public long fencingToken() {
		return this.lease.fencingToken();
	}

	@Override
	public Duration ttl() {
		return this.lease.ttl();
	}

	@Override
	public boolean isValid() {
		return !this.closed && this.lease.isValid();
	}

	@Override
	public Duration remaining() {
		return this.closed ? Duration.ZERO : this.lease.remaining();
	}

	@Override
	public boolean isRenewed() {
		return this.lease.isRenewed();
	}

	@Override
	public void checkValid() {
		if (this.closed) {
			throw new IllegalStateException("The critical section of the leader of '%s' has ended".formatted(key()));
		}
		this.lease.checkValid();
	}

	@Override
	public Registration onLost(Consumer<LossCause> action) {
		Registration registration = this.lease.onLost(action);
		synchronized (this) {
			if (!this.closed) {
				this.registrations.add(registration);
				return registration;
			}
		}
		registration.close();
		return registration;
	}

	@Override
	public boolean extend(Duration ttl) {
		return !this.closed && this.lease.extend(ttl);
	}

	@Override
	public CompletableFuture<Boolean> extendAsync(Duration ttl) {
		return this.closed ? CompletableFuture.completedFuture(false) : this.lease.extendAsync(ttl);
	}

	@Override
	public void holdAtLeast(Duration minHold) {
		if (!this.closed) {
			this.lease.holdAtLeast(minHold);
		}
	}

	@Override
	public CompletableFuture<Boolean> releaseAsync() {
		boolean held = isValid();
		close();
		return CompletableFuture.completedFuture(held);
	}

	@Override
	public void close() {
		synchronized (this) {
			if (this.closed) {
				return;
			}
			this.closed = true;
		}
		this.registrations.forEach(Registration::close);
		this.leave.accept(this);
	}

	@Override
	public String toString() {
		return this.lease.toString();
	}

}
