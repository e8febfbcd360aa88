// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what is known of commands that are in flight.
 */
class StoreClientTest {

	private final ManualTiming time = new ManualTiming();

	private final ScriptedStore store = new ScriptedStore();

	private final StoreClient client = new StoreClient(this.store, "i", this.time.timing(), Duration.ofSeconds(1));

	@Test
	void quietIsAfterEverybodyHasActedOnTheLastAnswer() {
		List<String> events = new ArrayList<>();
		this.store.releases().hold();
		CompletableFuture<Boolean> released = this.client.release("k", "o");
		Completions.on(released, (reply, failure) -> events.add("acted"));
		CompletableFuture<Void> quiet = this.client.quiet();
		Completions.on(quiet, (nothing, failure) -> events.add("quiet"));
		assertThat(quiet).isNotDone();
		this.store.releases().last().answer(true);
		assertThat(events).containsExactly("acted", "quiet");
		assertThat(this.client.quiet()).isCompleted();
	}

	@Test
	void quietFailsIfACommandDoes() {
		this.store.releases().hold();
		CompletableFuture<Boolean> released = this.client.release("k", "o");
		CompletableFuture<Void> quiet = this.client.quiet();
		released.cancel(false);
		assertThat(quiet).isCompletedExceptionally();
	}

	@Test
	void keyThatIsLeftTwiceMayBeQueuedUntilBothAreAnswered() {
		StoreQueues queues = new StoreQueues(this.client, this.time.timing());
		this.store.leaves().hold();
		var first = queues.leave("k");
		var second = queues.leave("k");
		assertThat(first).isNotSameAs(second);
		this.store.leaves().last().answer(true);
		assertThat(queues.mayBeQueued("k")).isTrue();
		this.store.leaves().call(0).answer(true);
		assertThat(queues.mayBeQueued("k")).isFalse();
	}

}
