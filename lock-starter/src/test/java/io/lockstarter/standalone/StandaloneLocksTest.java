// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.standalone;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Locks without Spring Boot.
 */
class StandaloneLocksTest {

	private static RedisServer server;

	private static LettuceConnectionFactory factory;

	@BeforeAll
	static void start() {
		server = RedisServers.start();
		factory = new LettuceConnectionFactory(server.host(), server.port());
		factory.afterPropertiesSet();
		factory.start();
	}

	@AfterAll
	static void stop() {
		factory.destroy();
		server.close();
	}

	@Test
	void locksOfTheSamePrefixExcludeEachOther() throws InterruptedException {
		try (StandaloneLocks one = StandaloneLocks.in(factory).open();
				StandaloneLocks other = StandaloneLocks.in(factory).open();
				StandaloneLocks apart = StandaloneLocks.in(factory).keyPrefix("apart").open();
				Lease lease = one.registry().acquire("a")) {
			assertThat(lease.isValid()).isTrue();
			assertThat(other.registry().tryAcquire("a")).isEmpty();
			assertThat(other.registry().obtain("a").isLocked()).isTrue();
			assertThat(one.inspector().held()).hasSize(1);
			assertThat(lease.ownerId()).startsWith("standalone@").contains("-" + ProcessHandle.current().pid() + "-");
			assertThat(apart.registry().obtain("a").isLocked()).isFalse();
		}
	}

	@Test
	void settingsAreThoseOfLocksThatSayNothingElse() throws InterruptedException {
		try (StandaloneLocks locks = StandaloneLocks.in(factory)
			.ttl(Duration.ofMinutes(2))
			.waitTime(Duration.ZERO)
			.open(); Lease lease = locks.registry().acquire("b")) {
			assertThat(lease.remaining()).isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> locks.registry().acquire("b"));
		}
	}

	@Test
	void listenersAreTold() throws Exception {
		CompletableFuture<LossCause> told = new CompletableFuture<>();
		try (StandaloneLocks locks = StandaloneLocks.in(factory).listener(new LockListener() {

			@Override
			public void lost(LeaseInfo lease, LossCause cause) {
				told.complete(cause);
			}

		}).open(); Lease lease = locks.registry().acquire("c")) {
			assertThat(locks.inspector().forceRelease(lease.key(), null).get(30, TimeUnit.SECONDS)).isTrue();
			assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo(LossCause.FORCED);
		}
	}

	@Test
	void whatIsClosedGrantsNoMoreLocks() {
		StandaloneLocks locks = StandaloneLocks.in(factory).open();
		locks.close();
		locks.close();
		assertThatIllegalStateException().isThrownBy(() -> locks.registry().tryAcquire("d"))
			.withMessageContaining("shut down");
	}

	@Test
	void badSettingsAreRefused() {
		StandaloneLocks.Builder builder = StandaloneLocks.in(factory);
		assertThatIllegalArgumentException().isThrownBy(() -> builder.ttl(Duration.ofSeconds(2)))
			.withMessageStartingWith("ttl must be longer than 2 s, but is 2000 ms");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.waitTime(Duration.ofMillis(-1)))
			.withMessageStartingWith("waitTime");
		assertThatIllegalArgumentException().isThrownBy(() -> builder.keyPrefix(" "));
	}

	@Test
	void locksFailUntilTheConnectionFactoryIsStarted() throws InterruptedException {
		LettuceConnectionFactory idle = new LettuceConnectionFactory(server.host(), server.port());
		try (StandaloneLocks locks = StandaloneLocks.in(idle).open()) {
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.registry().tryAcquire("e"))
				.withMessageContaining("Use start()");
			idle.start();
			locks.registry().acquire("e").close();
		}
		finally {
			idle.destroy();
		}
	}

}
