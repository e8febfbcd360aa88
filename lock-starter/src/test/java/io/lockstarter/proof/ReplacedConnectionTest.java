// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The server closes the connections of an application, which connects anew.
 */
class ReplacedConnectionTest {

	private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

	private final RedisServer redis = RedisServers.start();

	private final Instance instance = new Instance(this.redis.port());

	@AfterEach
	void close() {
		this.instance.close();
		this.redis.close();
	}

	@Test
	void leaseThatWasNotRenewedBeforeItIsExtendedAtOnce() throws InterruptedException {
		Lease renewed = acquire("renewed");
		assertThat(renewed.extend(Duration.ofMinutes(1))).isTrue();
		Lease before = acquire("before");
		Raw.ask(this.redis.port(), "CLIENT KILL TYPE normal");
		acquire("reconnects").close();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> renewed.extend(FIVE_MINUTES));
		assertThat(before.extend(FIVE_MINUTES)).isTrue();
		assertThat(acquire("after").extend(FIVE_MINUTES)).isTrue();
		assertThat(this.redis.commands().pttl("{lock}lock:before")).isGreaterThan(250_000);
		assertThat(this.redis.commands().pttl("{lock}lock:after")).isGreaterThan(250_000);
	}

	private Lease acquire(String key) throws InterruptedException {
		return this.instance.registry().acquire(key, LockOptions.defaults());
	}

}
