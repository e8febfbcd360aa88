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
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;

import io.lockstarter.platform.Platform;

/**
 * Quorum stores on another platform than that of the system.
 */
public final class SimulatedQuorum {

	private SimulatedQuorum() {
	}

	/**
	 * Create a store.
	 * @param leastPatience what nodes may take in any case; 100 ms in production
	 */
	public static QuorumLockStore store(List<QuorumNode> nodes, Duration maxTtl, Duration leastPatience,
			Platform platform) {
		return new QuorumLockStore(nodes, maxTtl, leastPatience, platform);
	}

}
