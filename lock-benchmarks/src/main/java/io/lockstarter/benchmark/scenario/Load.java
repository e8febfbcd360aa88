// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.scenario;

import java.time.Duration;

/**
 * How much of it.
 *
 * @param work what to do
 * @param jvms in how many JVMs
 * @param threads by how many threads in each JVM; for {@link Work#HOLDING} how many locks
 * @param sharedKey whether all lock the same key; else each thread locks its own
 * @param section how long the protected section takes
 */
public record Load(Work work, int jvms, int threads, boolean sharedKey, Duration section) {

	static Load ownKeys(int threads) {
		return new Load(Work.CYCLES, 1, threads, false, Duration.ZERO);
	}

	static Load oneKey(int jvms, int threads, Duration section) {
		return new Load(Work.CYCLES, jvms, threads, true, section);
	}

	static Load of(Work work, int jvms, int threads) {
		return new Load(work, jvms, threads, true, Duration.ZERO);
	}

}
