// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A lock of another JVM is released by force while somebody waits for it. Its ttl is so
 * long that it cannot have expired.
 */
@Tag("proof")
class ForcedReleaseTest {

	private static final String KEY = "stock:42";

	private static final Duration SOON = Duration.ofMinutes(1);

	private final RedisServer redis = RedisServers.start();

	private final JvmProcess holder = JvmProcess.start(LockingApplication.class, this.redis.port());

	private final Instance waiter = new Instance(this.redis.port());

	private final Instance operator = new Instance(this.redis.port());

	private long token;

	private CompletableFuture<Lease> next;

	@BeforeEach
	void letOneHoldAndAnotherWait() {
		String id = this.holder.await("ready");
		// Its first contention makes it listen.
		this.holder.send("acquire contended PT10M PT0S");
		this.holder.await("acquired");
		this.holder.send("acquire contended PT10M PT0.1S");
		this.holder.await("busy");
		String channel = "{lock}signal:" + id;
		await().atMost(SOON).until(() -> this.redis.commands().pubsubNumsub(channel).getOrDefault(channel, 0L) == 1);
		this.holder.send("acquire " + KEY + " PT10M PT0S");
		this.token = Long.parseLong(this.holder.await("acquired"));
		this.next = this.waiter.registry()
			.acquireAsync(KEY, LockOptions.defaults().withWaitTime(Duration.ofMinutes(9)));
		await().atMost(SOON)
			.untilAsserted(() -> assertThat(this.operator.registry().inspect(KEY).join().queue()).singleElement()
				.satisfies((queued) -> assertThat(queued.instance()).isEqualTo(this.waiter.id())));
	}

	@AfterEach
	void close() {
		this.holder.close();
		this.waiter.close();
		this.operator.close();
		this.redis.close();
	}

	@Test
	void holderThatLivesIsToldAndTheNextInLineGetsTheLock() {
		release();
		await().atMost(SOON).untilAsserted(() -> assertThat(isValidInHolder()).isFalse());
		assertThat(this.next.join().isValid()).isTrue();
	}

	@Test
	void holderThatHangsFindsItsLockLostWhenItWakesUpAndIsFenced() {
		this.holder.pause();
		release();
		this.holder.resume();
		await().atMost(SOON).untilAsserted(() -> assertThat(isValidInHolder()).isFalse());
		this.holder.send("release");
		assertThat(this.holder.await("released")).isEqualTo("false");
		assertThat(this.next.join().isValid()).isTrue();
		assertThat(this.next.join().releaseAsync()).succeedsWithin(SOON).isEqualTo(true);
	}

	@Test
	void lockOfHolderThatIsGoneNeedNotExpire() {
		this.holder.kill();
		release();
		assertThat(this.next.join().isValid()).isTrue();
		assertThat(this.operator.registry().forceRelease(KEY, "gone:1")).succeedsWithin(SOON).isEqualTo(false);
		assertThat(this.next.join().isValid()).isTrue();
	}

	private void release() {
		assertThat(this.operator.registry().forceRelease(KEY, null)).succeedsWithin(SOON).isEqualTo(true);
		assertThat(this.next).succeedsWithin(SOON)
			.satisfies((lease) -> assertThat(lease.fencingToken()).isGreaterThan(this.token));
	}

	private boolean isValidInHolder() {
		this.holder.send("check");
		return Boolean.parseBoolean(this.holder.await("valid"));
	}

}
