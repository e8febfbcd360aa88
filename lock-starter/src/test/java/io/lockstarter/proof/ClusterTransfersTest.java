// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisCluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * As {@link TransfersTest}, with locks at different nodes of a Redis Cluster.
 */
@Tag("proof")
@Timeout(120)
class ClusterTransfersTest {

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final RedisCluster cluster = RedisCluster.shared();

	private final Instance one = instance();

	private final Instance other = instance();

	private final List<String> accounts = ClusterKeys.onePerPrimary(this.cluster, this.one, "account:");

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
	}

	@Test
	void transfersInAllDirectionsAtOnceEnd() {
		Transfers transfers = new Transfers(this.one, this.other, this.accounts);
		transfers.run(200);
		assertThat(transfers.lost()).isZero();
		assertThat(this.one.events()).isEmpty();
		assertThat(this.other.events()).isEmpty();
		await().untilAsserted(() -> assertThat(this.cluster.keys("*}lock:account*")).isEmpty());
	}

	@Test
	void oneBusyKeyLeavesTheOthersFree() throws InterruptedException {
		for (String busy : this.accounts) {
			try (Lease lease = this.one.registry().acquire(busy, PATIENT)) {
				LeasedLock all = this.other.registry().obtainAll(this.accounts, PATIENT);
				assertThat(all.tryLock()).isFalse();
				await().untilAsserted(() -> assertThat(this.cluster.keys("*}lock:account*")).hasSize(1));
				assertThat(lease.isValid()).isTrue();
			}
		}
		LeasedLock all = this.other.registry().obtainAll(this.accounts, PATIENT);
		assertThat(all.tryLock(30, TimeUnit.SECONDS)).isTrue();
		assertThat(this.cluster.keys("*}lock:account*")).hasSize(3);
		all.unlock();
	}

	private Instance instance() {
		return new Instance(this.cluster.configuration(),
				Instance.settings(Duration.ofSeconds(10), Duration.ofSeconds(30)));
	}

}
