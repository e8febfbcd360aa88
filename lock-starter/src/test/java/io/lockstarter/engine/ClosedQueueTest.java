// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of a queue that outlives its engine, as somebody holds its key.
 */
class ClosedQueueTest {

	private static final RegistrySettings SETTINGS = RegistrySettings.defaults();

	private final ManualTiming time = new ManualTiming();

	private final LockEngine engine = new LockEngine("app", new OwnerIdSequence(this.time), new ScriptedStore(),
			SETTINGS, this.time.timing(), List.of(), List.of(), Runnable::run);

	@Test
	void whoeverHasTheQueueOfAKeyWhileTheEngineClosesIsRefused() {
		Waiter holder = waiter(Waiter.Kind.WHOLE);
		LocalQueue queue = this.engine.join("k", holder);
		assertThat(holder.lease()).isNotNull();
		this.engine.close();
		assertThat(queue.join(waiter(Waiter.Kind.WHOLE))).isFalse();
		assertThat(queue.claim(waiter(Waiter.Kind.CLAIM))).isNull();
		assertThat(this.engine.waiterCount()).isZero();
		assertThatIllegalStateException().isThrownBy(() -> this.engine.join("k", waiter(Waiter.Kind.WHOLE)));
		assertThatIllegalStateException().isThrownBy(() -> this.engine.claim("k", waiter(Waiter.Kind.CLAIM)));
		assertThat(this.engine.drained()).isNotDone();
		assertThat(this.engine.leases()).containsExactly(holder.lease());
	}

	private static Waiter waiter(Waiter.Kind kind) {
		return Waiter.calling(kind, "k", Terms.of(LockOptions.defaults(), SETTINGS, LockOptions.MAX_DURATION), 0,
				(decided) -> {
				});
	}

}
