// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM with many leases, or its Redis, stands still until all of them are to be renewed
 * at once. Redis executes one script at a time, and everybody waits meanwhile: a call
 * must not grow with what is due.
 */
@Tag("proof")
class RenewalsAfterPauseTest {

	private static final int LEASES = 24_000;

	private static final int MOST_KEYS = 1_000;

	private static final Duration TTL = Duration.ofSeconds(24);

	/** Every lease is due by then, and none is lost: some seconds are left. */
	private static final Duration PAUSE = TTL.dividedBy(3).plusSeconds(1);

	private static final Pattern CALL = Pattern.compile("\"EVALSHA\" \"[0-9a-f]{40}\" \"([0-9]+)\"");

	private static RedisServer redis;

	private static JvmProcess holder;

	@BeforeAll
	static void hold() {
		redis = RedisServers.start();
		holder = JvmProcess.start(JvmProcess.classPath(), List.of("-Xmx256m"), LockingApplication.class, redis.port());
		holder.await("ready");
		holder.send("many " + LEASES + " " + TTL);
		holder.await("many");
	}

	@AfterAll
	static void close() {
		holder.close();
		redis.close();
	}

	@Test
	void noCallHasManyKeysAfterTheHolderStoodStill() {
		try (Monitor monitor = new Monitor(redis)) {
			holder.pause();
			pass();
			holder.resume();
			assertRenewedInSmallCalls(monitor);
		}
	}

	@Test
	void noCallHasManyKeysAfterRedisStoodStill() {
		try (Monitor monitor = new Monitor(redis)) {
			redis.pause();
			pass();
			redis.resume();
			assertRenewedInSmallCalls(monitor);
		}
	}

	private static void assertRenewedInSmallCalls(Monitor monitor) {
		await().atMost(TTL).until(() -> keys(monitor).stream().mapToInt(Integer::intValue).sum() >= LEASES);
		List<Integer> keys = keys(monitor);
		int most = keys.stream().mapToInt(Integer::intValue).max().orElseThrow();
		System.out.printf("%,d leases due at once: %,d calls, the largest with %,d keys%n", LEASES, keys.size(), most);
		assertThat(most).as("keys of the largest call").isLessThanOrEqualTo(MOST_KEYS);
		holder.send("lost");
		assertThat(holder.await("lost")).isEqualTo("0");
		assertThat(redis.commands().exists("{lock}lock:many-0", "{lock}lock:many-" + (LEASES - 1))).isEqualTo(2);
	}

	private static List<Integer> keys(Monitor monitor) {
		return monitor.commands()
			.stream()
			.map(CALL::matcher)
			.filter(Matcher::find)
			.map((call) -> Integer.valueOf(call.group(1)))
			.toList();
	}

	private static void pass() {
		await().pollDelay(PAUSE).atMost(PAUSE.multipliedBy(2)).until(() -> true);
	}

}
