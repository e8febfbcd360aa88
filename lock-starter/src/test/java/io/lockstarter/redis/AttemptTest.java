// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How long an attempt to connect takes.
 */
class AttemptTest {

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private final RedisLockStore store = this.redis.store(this.platform);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void allStepsOfTheFirstAttemptTogetherTakeFiveSecondsAtMost() {
		this.redis.slowDown(this.platform, Duration.ofMillis(2600));
		var unused = this.store.open(new ManualRedis.Deaf());
		SimulatedConnection connecting = this.redis.connections().get(0);
		this.platform.pass(Duration.ofMillis(4999));
		assertThat(connecting.isOpen()).isTrue();
		this.platform.pass(Duration.ofMillis(1));
		assertThat(connecting.isOpen()).isFalse();
	}

	@Test
	void attemptThatIsQuickEnoughSucceeds() {
		this.redis.slowDown(this.platform, Duration.ofMillis(2400));
		var opened = this.store.open(new ManualRedis.Deaf());
		this.platform.pass(Duration.ofSeconds(20));
		assertThat(opened).isCompleted();
		assertThat(this.redis.connections()).hasSize(1);
	}

	@Test
	void commandsAfterOneThatNoticedTheLossFirstBeginNoFurtherAttempt() {
		var opened = this.store.open(new ManualRedis.Deaf());
		this.platform.run();
		assertThat(opened).isCompleted();
		this.redis.slowDown(this.platform, Duration.ofSeconds(2));
		SimulatedConnection lost = this.redis.connections().get(0);
		List<CompletableFuture<AcquireReply>> first = new ArrayList<>();
		var unused = lost.connection().async().info().whenComplete((info, failure) -> first.add(acquire()));
		lost.cut();
		SimulatedConnection next = this.redis.connections().get(0);
		this.platform.pass(Duration.ofMillis(1500));
		assertThat(first).hasSize(1);
		assertThat(acquire()).isCompletedExceptionally();
		assertThat(this.redis.connections()).containsExactly(next);
	}

	private CompletableFuture<AcquireReply> acquire() {
		return this.store.acquire(new Acquire("stock:42", "i", "i:1", Duration.ofSeconds(30), false, 8));
	}

}
