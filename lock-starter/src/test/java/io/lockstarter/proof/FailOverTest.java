// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The primary is killed and its replica promoted, at the address that clients know.
 */
@Tag("proof")
class FailOverTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(6))
		.withWaitTime(Duration.ofSeconds(10));

	private static final LockOptions ONCE = OPTIONS.withWaitTime(Duration.ZERO);

	private final RedisServer primary = RedisServers.start();

	private final RedisServer replica = RedisServers.start("--replicaof", "127.0.0.1",
			String.valueOf(this.primary.port()));

	private final FaultProxy proxy = new FaultProxy(this.primary.port());

	private final Instance holder = new Instance(this.proxy.port());

	private final Instance other = new Instance(this.proxy.port());

	@BeforeEach
	void connect() throws InterruptedException {
		this.holder.registry().acquire(KEY, OPTIONS).close();
		this.other.registry().acquire(KEY, OPTIONS).close();
		await().until(() -> this.replica.commands().exists("{lock}fence") == 1);
	}

	@AfterEach
	void close() {
		this.holder.close();
		this.other.close();
		this.proxy.close();
		this.replica.close();
		this.primary.close();
	}

	@Test
	void replicaThatNeverHeardOfTheLockIsPromotedAndTheLossReportedAndFenced() throws InterruptedException {
		this.replica.pause();
		Raw.ask(this.primary.port(), "CLIENT KILL TYPE replica");
		Lease lease = this.holder.registry().acquire(KEY, OPTIONS);
		this.primary.kill();
		this.replica.resume();
		promote();
		assertThat(this.replica.commands().get("{lock}lock:stock:42")).isNull();
		Lease next = this.other.registry().acquire(KEY, OPTIONS);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		await().atMost(OPTIONS.ttl()).until(() -> !lease.isValid());
		await().untilAsserted(() -> assertThat(this.holder.events()).containsExactly("lost TAKEN stock:42"));
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(false);
		assertThat(next.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.other.events()).isEmpty();
	}

	@Test
	void replicaThatHasTheLockIsPromotedAndTheLeaseGoesOn() throws InterruptedException {
		Lease lease = this.holder.registry().acquire(KEY, OPTIONS);
		await().until(() -> this.replica.commands().get("{lock}lock:stock:42") != null);
		this.primary.kill();
		promote();
		assertThat(tryOnce()).isEmpty();
		await().during(OPTIONS.ttl().plusSeconds(1)).atMost(Duration.ofSeconds(20)).until(lease::isValid);
		assertThat(tryOnce()).isEmpty();
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.holder.events()).isEmpty();
		Lease next = this.other.registry().acquire(KEY, OPTIONS);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		next.close();
	}

	private void promote() {
		this.replica.commands().replicaofNoOne();
		this.proxy.redirect(this.replica.port());
	}

	private Optional<Lease> tryOnce() throws InterruptedException {
		return this.other.registry().tryAcquire(KEY, ONCE);
	}

}
