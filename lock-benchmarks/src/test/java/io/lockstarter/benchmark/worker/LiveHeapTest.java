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
