// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A thread ends without having released its lock.
 */
@Tag("proof")
class DeadThreadTest {

	private static final String KEY = "stock:42";

	// A stall of two seconds is no loss: it is renewed every third of this.
	private static final Duration TTL = Duration.ofMillis(3500);

	private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(TTL);

	private final RedisServer redis = RedisServers.start();

	private final Instance holder = new Instance(this.redis.port());

	private final Instance other = new Instance(this.redis.port());

	@AfterEach
	void close() {
		this.holder.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void itsLockGoesOnBeingRenewed() throws InterruptedException {
		lockAndEnd(OPTIONS);
		assertThat(this.other.registry().tryAcquire(KEY, OPTIONS.withWaitTime(TTL.plusSeconds(1)))).isEmpty();
		assertThat(this.holder.events()).isEmpty();
	}

	@Test
	void itsLockIsFreeAfterTheMaximumHoldAndOneTtl() throws InterruptedException {
		Duration maxHold = TTL;
		long start = System.nanoTime();
		lockAndEnd(OPTIONS.withMaxHold(maxHold));
		assertThat(this.other.registry().tryAcquire(KEY, OPTIONS.withWaitTime(TTL.dividedBy(2)))).isEmpty();
		this.other.registry().acquire(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(20))).close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(maxHold, maxHold.plus(TTL).plusSeconds(5));
		await().untilAsserted(() -> assertThat(this.holder.events()).containsExactly("lost EXPIRED stock:42"));
	}

	@SuppressWarnings("LockNotBeforeTry") // as it must not be
	private void lockAndEnd(LockOptions options) throws InterruptedException {
		Thread thread = new Thread(() -> this.holder.registry().obtain(KEY, options).lock());
		thread.start();
		thread.join();
		assertThat(this.redis.commands().get("{lock}lock:stock:42")).startsWith(this.holder.id());
	}

}
