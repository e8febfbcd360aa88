// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.quorum.SimulatedVoters;
import io.lockstarter.redis.SimulatedStores;

/**
 * Three small servers do what a quorum needs, under the real scripts and the real
 * connection layer.
 */
class SmallQuorumContractTest extends SmallRedisContract {

	private static final Duration MAX_TTL = Duration.ofMinutes(1);

	SmallQuorumContractTest() {
		super(Topology.QUORUM);
	}

	@Override
	LockStore create(Run run, JvmPlatform platform) {
		List<String> addresses = run.servers().hosts().stream().map(Host::address).toList();
		return SimulatedVoters.store(platform, run.net(), addresses,
				SimulatedStores.SETTINGS.withConnectTimeout(Duration.ofMillis(300)), MAX_TTL);
	}

	// Servers abstain from when they were first asked.
	@BeforeEach
	void letServersVote() {
		var unused = store().renew(List.of(new Renew("none", "nobody", MAX_TTL)));
		await(new CompletableFuture<>(), SimulatedVoters.abstention(MAX_TTL).plusSeconds(1));
	}

	@Override
	protected boolean tellsOnce() {
		return false;
	}

	@Override
	protected boolean passesOnWhatExpired() {
		return false;
	}

}
