// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum.redis;

import java.time.Duration;

import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.connection.ApplicationRedis;

/**
 * Servers of the simulation that vote.
 */
public final class SimulatedVoter {

	private SimulatedVoter() {
	}

	public static VotingRedis of(ApplicationRedis application, RedisStoreSettings settings, Duration abstention) {
		return new VotingRedis(application, settings, new VoterScript(abstention));
	}

}
