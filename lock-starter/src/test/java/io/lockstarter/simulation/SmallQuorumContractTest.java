/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeEach;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.quorum.SimulatedVoters;

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
		return SimulatedVoters.store(platform, run.net(), addresses, Duration.ofMillis(300), MAX_TTL);
	}

	// Servers abstain from when they were first asked.
	@BeforeEach
	void letServersVote() {
		var unused = store().renew(List.of(new Renew("none", "nobody", MAX_TTL)));
		await(new CompletableFuture<>(), SimulatedVoters.abstention(MAX_TTL).plusSeconds(1));
	}

}
