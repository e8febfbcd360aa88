// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A key is handed over, and the message that says so is lost. More with
 * {@code -Dproof.lostMessages=200}.
 */
class LostMessageTest {

	private static final int ROUNDS = Integer.getInteger("proof.lostMessages", 5);

	private static final Duration POLL = Duration.ofMillis(500);

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final RedisServer redis = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.redis.port());

	private final Instance holder = new Instance(this.redis.port());

	private final Instance deaf = new Instance(this.proxy.port(), Instance.settings(Duration.ofSeconds(5), POLL));

	private final Random random = new Random(42);

	@AfterEach
	void close() {
		this.holder.close();
		this.deaf.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	void nextHolderFollowsWithinAPollInterval() throws InterruptedException {
		List<Duration> delays = new ArrayList<>();
		for (int round = 0; round < ROUNDS; round++) {
			delays.add(handOver());
		}
		Figures figures = new Figures(delays);
		System.out.printf("Hand-over whose message was lost, poll interval %d ms: %s%n", POLL.toMillis(), figures);
		// A busy machine may add to the others.
		assertThat(Collections.min(delays)).isLessThan(POLL);
		assertThat(figures.max()).isLessThan(POLL.plusSeconds(5));
	}

	private Duration handOver() throws InterruptedException {
		Lease lease = this.holder.registry().acquire("key", DEFAULTS);
		CompletableFuture<Long> granted = new CompletableFuture<>();
		CompletableFuture<Void> next = this.deaf.registry().acquireAsync("key", DEFAULTS).thenAccept((held) -> {
			granted.complete(System.nanoTime());
			held.close();
		});
		await().until(() -> next.isDone() || this.redis.commands().zscore("{lock}queue:key", this.deaf.id()) != null);
		assertThat(next).isNotDone();
		this.proxy.loseMessages(true);
		// somewhere between two polls
		await().pollDelay(Duration.ofMillis(this.random.nextInt((int) POLL.toMillis()))).until(() -> true);
		long released = System.nanoTime();
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		assertThat(granted).succeedsWithin(Duration.ofSeconds(10));
		assertThat(next).succeedsWithin(Duration.ofSeconds(10));
		this.proxy.loseMessages(false);
		return Duration.ofNanos(granted.join() - released);
	}

}
