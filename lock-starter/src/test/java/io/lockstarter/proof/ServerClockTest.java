// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import io.lockstarter.testkit.ServerClock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Somebody sets the clock of the Redis host.
 */
class ServerClockTest {

	private static final String KEY = "stock:42";

	private static final Duration TTL = Duration.ofSeconds(5);

	private static final LockOptions OPTIONS = LockOptions.defaults().withTtl(TTL).withWaitTime(Duration.ofSeconds(1));

	private final ServerClock clock = new ServerClock();

	private final RedisServer redis = RedisServers.startOldest(this.clock.environment());

	@AfterEach
	void close() {
		this.redis.close();
		this.clock.close();
	}

	@Test
	void stepForwardLetsAnotherInEarlyWhoFencesTheFirstAndTheFirstIsTold() throws InterruptedException, SQLException {
		try (Instance first = instance();
				Instance second = instance();
				Connection connection = DriverManager.getConnection("jdbc:h2:mem:clock")) {
			connection.createStatement().execute(FencedTable.TABLE);
			connection.createStatement().execute("INSERT INTO stock (product, units) VALUES ('42', 10)");
			FencedTable table = new FencedTable(connection);
			Lease early = first.registry().acquire(KEY, OPTIONS);
			this.clock.step(Duration.ofHours(1));
			Lease late = second.registry().acquire(KEY, OPTIONS);
			assertThat(late.fencingToken()).isGreaterThan(early.fencingToken());
			assertThat(table.write("42", 9, late.fencingToken())).isTrue();
			assertThat(table.write("42", 8, early.fencingToken())).as("a stale write").isFalse();
			await().atMost(TTL).untilAsserted(() -> assertThat(first.events()).containsExactly("lost TAKEN " + KEY));
			assertThat(early.isValid()).isFalse();
			assertThat(late.isValid()).isTrue();
			late.close();
		}
	}

	@Test
	void stepBackKeepsTheKeyOfADeadHolderLockedAndWhoWaitsIsTold() throws InterruptedException {
		try (Instance second = instance()) {
			try (Instance first = instance()) {
				first.registry().acquire(KEY, OPTIONS);
			}
			this.clock.step(Duration.ofHours(-1));
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> second.registry().acquire(KEY, OPTIONS));
			assertThat(this.redis.commands().pttl("{lock}lock:" + KEY)).isGreaterThan(TTL.toMillis());
			await().untilAsserted(() -> assertThat(second.events()).containsExactly("clock set back " + KEY));
		}
	}

	@Test
	void stepBackUnderALivingHolderIsMendedByItsRenewalAndTokensGoOnGrowing() throws InterruptedException {
		try (Instance first = instance(); Instance second = instance()) {
			Lease lease = first.registry().acquire(KEY, OPTIONS);
			this.clock.step(Duration.ofHours(-1));
			await().atMost(TTL)
				.untilAsserted(() -> assertThat(this.redis.commands().pttl("{lock}lock:" + KEY))
					.isLessThanOrEqualTo(TTL.toMillis()));
			assertThat(lease.isValid()).isTrue();
			lease.close();
			Lease next = second.registry().acquire(KEY, OPTIONS);
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
			next.close();
			assertThat(first.events()).isEmpty();
			assertThat(second.events()).isEmpty();
		}
	}

	/**
	 * An hour forward and back, and back and forward, with idle keys and with none.
	 */
	@Test
	void tokensGrowWhicheverWayTheClockIsSet() throws InterruptedException {
		try (Instance first = instance(); Instance second = instance()) {
			long last = 0;
			for (int hours : new int[] { 0, 1, -1, -1, 1, 2, -2 }) {
				this.clock.step(Duration.ofHours(hours));
				for (Instance instance : List.of(first, second)) {
					Lease lease = instance.registry().acquire(KEY, OPTIONS);
					assertThat(lease.fencingToken()).as("after a step of %d h", hours).isGreaterThan(last);
					last = lease.fencingToken();
					assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
				}
			}
			assertThat(first.events()).isEmpty();
			assertThat(second.events()).isEmpty();
		}
	}

	private Instance instance() {
		return new Instance(this.redis.port());
	}

}
