// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.platform.Platform;

/**
 * Elections on another platform.
 */
public final class SimulatedElection {

	private SimulatedElection() {
	}

	public static LeaderElection create(LockRegistry registry, String role, LockOptions options, Platform platform) {
		return LeaderElection.of(() -> registry, role, options, platform);
	}

	/**
	 * Stop an election.
	 * @return completes when leadership is released
	 */
	public static CompletableFuture<?> end(LeaderElection election) {
		return election.end(true);
	}

}
