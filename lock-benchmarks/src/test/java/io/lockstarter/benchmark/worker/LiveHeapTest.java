// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.worker;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LiveHeap}.
 */
class LiveHeapTest {

	@Test
	void countsWhatBelongsToWhom() {
		LiveHeap heap = LiveHeap.parse("""
				 num     #instances         #bytes  class name (module)
				-------------------------------------------------------
				   1:         12345         567890  [B (java.base@17)
				   2:            32           2560  io.lockstarter.engine.LocalQueue
				   3:             5            160  io.lockstarter.engine.DefaultLease
				   4:             7            160  io.lockstarter.benchmark.worker.CycleThread
				   5:            11            352  io.lettuce.core.protocol.AsyncCommand
				Total         12400         571122
				""");
		assertThat(heap).isEqualTo(new LiveHeap(571_122, 37, 11, 32));
	}

	@Test
	void looksAtThisJvm() {
		assertThat(LiveHeap.look().bytes()).isPositive();
	}

}
