// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
		CompletableFuture<?> quiet = this.client.quiet();
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
		CompletableFuture<?> quiet = this.client.quiet();
		released.cancel(false);
		assertThat(quiet).isCompletedExceptionally();
	}

	@Test
	void keyThatIsLeftTwiceMayBeQueuedUntilBothAreAnswered() {
		StoreQueues queues = new StoreQueues(this.client, this.time.timing(), Set.of());
		this.store.leaves().hold();
		var first = queues.leave("k");
		var second = queues.leave("k");
		assertThat(first).isNotSameAs(second);
		this.store.leaves().last().answer(true);
		assertThat(queues.mayBeQueued("k")).isTrue();
		this.store.leaves().call(0).answer(true);
		assertThat(queues.mayBeQueued("k")).isFalse();
	}

	@Test
	void queueThatCouldNotBeLeftIsLeftAgainUnlessItsKeyIsUsed() {
		Set<String> used = new HashSet<>(Set.of("used"));
		StoreQueues queues = new StoreQueues(this.client, this.time.timing(), used);
		this.store.leaves().hold();
		for (String key : List.of("k", "used")) {
			var unused = queues.leave(key);
			this.store.leaves().last().fail(new IllegalStateException("gone"));
		}
		assertThat(queues.mayBeQueued("other")).isFalse();
		this.time.tick(Duration.ofSeconds(2));
		assertThat(this.store.leaves().count()).isEqualTo(3);
		this.store.leaves().last().answer(true);
		assertThat(queues.mayBeQueued("k")).isFalse();
		assertThat(queues.mayBeQueued("used")).isTrue();
		used.clear();
		this.time.tick(Duration.ofMinutes(1));
		assertThat(this.store.leaves().count()).isEqualTo(4);
		this.store.leaves().last().answer(true);
		this.time.tick(Duration.ofMinutes(11));
		assertThat(this.store.leaves().count()).isEqualTo(4);
	}

	@Test
	void queueThatCannotBeLeftIsForgottenWhenTheStoreHasForgottenIt() {
		StoreQueues queues = new StoreQueues(this.client, this.time.timing(), Set.of());
		this.store.leaves().fail(new IllegalStateException("gone"));
		var unused = queues.leave("k");
		this.time.tick(Duration.ofMinutes(9));
		assertThat(queues.mayBeQueued("k")).isTrue();
		assertThat(this.store.leaves().count()).isBetween(5, 20);
		this.time.tick(Duration.ofMinutes(2));
		assertThat(queues.mayBeQueued("k")).isFalse();
	}

}
