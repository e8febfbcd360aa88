// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.ClientResources;
import io.netty.util.HashedWheelTimer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A service that locks at full speed, with the client options that Spring Boot has by
 * default, keeps nothing of it: each command may time out after a minute, and is
 * forgotten when it was answered.
 */
@Tag("proof")
class SteadyMemoryTest {

	private static final long SECONDS = Long.getLong("proof.steadySeconds", 20);

	private static final long MEGABYTE = 1 << 20;

	private final RedisServer redis = RedisServers.start();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@Test
	void thirtyTwoThreadsAtFullSpeedLiveInLittleMemory() {
		try (JvmProcess jvm = JvmProcess.start(JvmProcess.classPath(),
				List.of("-Xmx64m", "-XX:+ExitOnOutOfMemoryError"), SteadyApplication.class, this.redis.port(),
				SECONDS)) {
			for (int i = 0; i < 3; i++) {
				jvm.await("alive");
			}
			long[] early = numbers(jvm.await("alive"));
			long[] late = numbers(jvm.await("done"));
			System.out.printf("%,d cycles in %d s: live heap %.1f MB after %,d cycles, %.1f MB at the end%n", late[0],
					SECONDS, (double) early[1] / MEGABYTE, early[0], (double) late[1] / MEGABYTE);
			assertThat(late[0]).as("cycles").isGreaterThan(20_000);
			assertThat(late[1]).as("live heap at the end").isLessThan(early[1] + 4 * MEGABYTE);
		}
	}

	@Test
	void tenThousandAcquisitionsLeaveNoTimerInTheClient() throws InterruptedException {
		ClientResources resources = ClientResources.create();
		try (Instance instance = new Instance(this.redis.port(), resources)) {
			HashedWheelTimer timer = (HashedWheelTimer) resources.timer();
			LockOptions options = LockOptions.defaults();
			LockOptions once = options.withWaitTime(Duration.ZERO);
			Lease held = instance.registry().acquire("held", options);
			try (Instance other = new Instance(this.redis.port(), resources)) {
				acquire(instance, 10_000);
				for (int i = 0; i < 2_000; i++) {
					assertThat(other.registry().tryAcquire("held", once)).isEqualTo(Optional.empty());
					assertThat(other.registry().acquireAsync("held", options).cancel(false)).isTrue();
				}
				// One that was cancelled stays until the wheel turns.
				await()
					.untilAsserted(() -> assertThat(timer.pendingTimeouts()).as("timers of the client").isLessThan(20));
			}
			held.close();
		}
		finally {
			resources.shutdown(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
		}
	}

	private static void acquire(Instance instance, int times) throws InterruptedException {
		Semaphore inFlight = new Semaphore(100);
		List<CompletableFuture<Boolean>> released = new ArrayList<>();
		for (int i = 0; i < times; i++) {
			inFlight.acquire();
			released.add(instance.registry()
				.acquireAsync("own-" + i % 1000, LockOptions.defaults())
				.thenCompose(Lease::releaseAsync)
				.whenComplete((done, failure) -> inFlight.release()));
		}
		released.forEach(CompletableFuture::join);
	}

	private static long[] numbers(String line) {
		return Arrays.stream(line.split(" ", -1)).mapToLong(Long::parseLong).toArray();
	}

}
