// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Clients whose clocks do not agree.
 */
class WallClockTest {

	private static final Pattern NUMBER = Pattern.compile("\"(\\d+)(\\.\\d+)?\"");

	private final RedisServer redis = RedisServers.start();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void lockWhoseValueIsItsExpiryIsTakenByWhoeverIsAhead() {
		Instant now = Instant.now();
		ExpiryInValue right = new ExpiryInValue(this.redis.commands(), now::toEpochMilli);
		ExpiryInValue ahead = new ExpiryInValue(this.redis.commands(), now.plusSeconds(60)::toEpochMilli);
		assertThat(right.tryLock(Duration.ofSeconds(30))).as("holds for 30 s").isTrue();
		assertThat(ahead.tryLock(Duration.ofSeconds(30))).as("holds at once, too").isTrue();
	}

	@Test
	void ourClientsSendNoTimeOfTheirOwn() throws InterruptedException {
		try (Monitor monitor = new Monitor(this.redis);
				Instance a = new Instance(this.redis.port());
				Instance b = new Instance(this.redis.port())) {
			Lease lease = a.registry().acquire("ours", LockOptions.defaults().withTtl(Duration.ofMillis(3500)));
			var next = b.registry().acquireAsync("ours", LockOptions.defaults());
			await().until(() -> this.redis.commands().exists("{lock}queue:ours") == 1);
			await().until(() -> calls(monitor, "renew").size() >= 2);
			lease.close();
			next.join().close();
			assertThat(calls(monitor, "acquire")).hasSizeGreaterThan(1);
			assertThat(calls(monitor, "release")).hasSizeGreaterThan(1);
			assertThat(numbers(monitor.commands())).as("durations at most, never an instant")
				.isNotEmpty()
				.allMatch((number) -> number <= Duration.ofDays(1).toMillis());
		}
	}

	private static List<String> calls(Monitor monitor, String name) {
		return monitor.commands()
			.stream()
			.filter((line) -> line.contains("\"EVALSHA\"") && line.contains("\"" + name + "\""))
			.toList();
	}

	private static List<Long> numbers(List<String> commands) {
		Matcher matcher = NUMBER.matcher(
				commands.stream().filter((line) -> line.contains("\"EVALSHA\"")).collect(Collectors.joining("\n")));
		return matcher.results().map((result) -> Long.parseLong(result.group(1))).toList();
	}

	/**
	 * The recipe that compares the value of the key with the clock of the client.
	 */
	private record ExpiryInValue(RedisCommands<String, String> commands, LongSupplier clock) {

		boolean tryLock(Duration ttl) {
			String expiry = Long.toString(this.clock.getAsLong() + ttl.toMillis());
			if (this.commands.setnx("naive", expiry)) {
				return true;
			}
			long seen = Long.parseLong(this.commands.get("naive"));
			return seen < this.clock.getAsLong() && seen == Long.parseLong(this.commands.getset("naive", expiry));
		}

	}

}
