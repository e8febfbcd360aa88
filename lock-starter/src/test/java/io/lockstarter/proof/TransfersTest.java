// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whoever needs two locks at once waits for nobody who waits for him, and no money is
 * lost.
 */
@Timeout(120)
class TransfersTest {

	private final RedisServer redis = RedisServers.start();

	private final Instance one = new Instance(this.redis.port());

	private final Instance other = new Instance(this.redis.port());

	@AfterEach
	void close() {
		this.one.close();
		this.other.close();
		this.redis.close();
	}

	@Test
	void transfersInAllDirectionsAtOnceEnd() {
		Transfers transfers = new Transfers(this.one, this.other, List.of("account:0", "account:1", "account:2"));
		transfers.run(300);
		assertThat(transfers.lost()).isZero();
		assertThat(this.one.events()).isEmpty();
		assertThat(this.other.events()).isEmpty();
		await().untilAsserted(() -> assertThat(this.redis.keys("{lock}lock:account*")).isEmpty());
	}

}
