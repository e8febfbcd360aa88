// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.Lease;
import io.lockstarter.engine.SimulatedRegistry;

/**
 * What is done under a lock: read, and write some time later, or read again.
 */
final class Section {

	private final Run run;

	private final Lease lease;

	private final boolean shared;

	private final Register plain;

	private final Register fenced;

	private final long readAt;

	private final long plainRead;

	private final long fencedRead;

	Section(Run run, Lease lease, boolean shared) {
		this.run = run;
		this.lease = lease;
		this.shared = shared;
		this.plain = run.plain(lease.key());
		this.fenced = run.fenced(lease.key());
		this.readAt = run.world().now();
		this.plainRead = this.plain.read(lease.fencingToken());
		this.fencedRead = this.fenced.read(lease.fencingToken());
	}

	void end() {
		if (this.shared) {
			readAgain();
		}
		else {
			write();
		}
	}

	private void write() {
		long now = this.run.world().now();
		long token = this.lease.fencingToken();
		long value = this.run.nextValue();
		if (this.fencedRead >= 0) {
			var unused = this.fenced.write(token, this.fencedRead, value, this.readAt, now, isTokenOrdered());
		}
		if (this.lease.isValid()) {
			boolean promised = !this.run.checks().isTainted(SimulatedRegistry.view(this.lease));
			var unused = this.plain.write(token, this.plainRead, value, this.readAt, now, promised);
			if (this.run.world().isTracing()) {
				this.run.world()
					.trace("%s writes %s: %d after %d".formatted(this.lease.ownerId(), this.lease.key(), value,
							this.plainRead));
			}
		}
	}

	private boolean isTokenOrdered() {
		return this.run.checks().isTokenOrdered(SimulatedRegistry.view(this.lease));
	}

	private void readAgain() {
		long token = this.lease.fencingToken();
		this.fenced.readAgain(token, this.fencedRead, isTokenOrdered());
		if (this.lease.isValid()) {
			boolean promised = !this.run.checks().isTainted(SimulatedRegistry.view(this.lease));
			this.plain.readAgain(token, this.plainRead, promised);
		}
	}

}
