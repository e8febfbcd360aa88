// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.interceptor.transaction.Hold;
import io.lockstarter.leader.LeaderElection;

/**
 * {@link LeaseSource} that has the lease of the leader of a role, if this instance leads.
 */
record LeaderSection(LockServices services, String role) implements LeaseSource {

	@Override
	public Hold acquire(LockCall call) {
		return Hold.of(enter());
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAsync(LockCall call) {
		return CompletableFuture.completedFuture(List.of(enter()));
	}

	private Lease enter() {
		return this.services.elections()
			.of(this.role)
			.tryEnter()
			.orElseThrow(() -> LockNotAcquiredException.notLeading(this.role, LeaderElection.KEY_PREFIX + this.role));
	}

}
