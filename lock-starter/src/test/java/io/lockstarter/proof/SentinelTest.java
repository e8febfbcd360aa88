// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The primary is killed, and Sentinels promote its replica on their own.
 */
@Tag("proof")
class SentinelTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(10))
		.withWaitTime(Duration.ofSeconds(30));

	private final SentinelGroup group = new SentinelGroup(Duration.ofSeconds(1), Duration.ofSeconds(5));

	private final RedisServer primary = this.group.primary();

	private final RedisServer replica = this.group.replica();

	private Instance holder;

	private Instance other;

	@BeforeEach
	void connect() throws InterruptedException {
		this.holder = instance();
		this.other = instance();
		this.holder.registry().acquire(KEY, OPTIONS).close();
		this.other.registry().acquire(KEY, OPTIONS).close();
		await().until(() -> this.replica.commands().exists("{lock}fence") == 1);
	}

	@AfterEach
	void close() {
		this.holder.close();
		this.other.close();
		this.group.close();
	}

	@Test
	void leaseThatTheReplicaKnowsGoesOn() throws InterruptedException {
		Lease lease = this.holder.registry().acquire(KEY, OPTIONS);
		await().until(() -> this.replica.commands().get("{lock}lock:stock:42") != null);
		this.primary.kill();
		awaitPromotion();
		await().during(OPTIONS.ttl().plusSeconds(1)).atMost(Duration.ofSeconds(30)).until(lease::isValid);
		assertThat(this.other.registry().tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ZERO))).isEmpty();
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		assertThat(this.holder.events()).isEmpty();
		try (Lease next = this.other.registry().acquire(KEY, OPTIONS)) {
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		}
	}

	@Test
	void leaseThatTheReplicaNeverHeardOfIsReportedLostAndFenced() throws InterruptedException {
		this.replica.pause();
		Raw.ask(this.primary.port(), "CLIENT KILL TYPE replica");
		Lease lease = this.holder.registry().acquire(KEY, OPTIONS);
		this.primary.kill();
		this.replica.resume();
		awaitPromotion();
		assertThat(this.replica.commands().get("{lock}lock:stock:42")).isNull();
		Lease next = acquireSoon();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		await().atMost(OPTIONS.ttl()).until(() -> !lease.isValid());
		await().untilAsserted(() -> assertThat(this.holder.events()).containsExactly("lost TAKEN stock:42"));
		assertThat(next.isValid()).isTrue();
		next.close();
		assertThat(this.other.events()).isEmpty();
	}

	private Instance instance() {
		return new Instance(this.group.configuration(),
				Instance.settings(Duration.ofSeconds(1), Duration.ofSeconds(1)));
	}

	/**
	 * Right after the promotion a command may still be sent to the old primary.
	 */
	private Lease acquireSoon() {
		return await().atMost(Duration.ofSeconds(10))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> this.other.registry().acquire(KEY, OPTIONS), (lease) -> true);
	}

	private void awaitPromotion() {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.replica.commands().info("replication").contains("role:master"));
	}

}
