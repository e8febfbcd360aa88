// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.proof.SharedCounter.Slot;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Several JVMs with several workers each want one key.
 */
@Tag("proof")
class SeveralJvmsTest {

	private static final int SECTIONS = 200_000;

	@TempDir
	private Path directory;

	@Test
	void noUpdateIsLostAndTokensGrowAndEveryWorkerIsServed() {
		Path file = this.directory.resolve("counter");
		SharedCounter counter = new SharedCounter(file);
		try (RedisServer redis = RedisServers.start();
				Fleet fleet = new Fleet(redis.port(), file, 4, 6, Duration.ofSeconds(10))) {
			fleet.awaitReady();
			count(counter, fleet);
			fleet.awaitEnd();
			verify(counter, fleet.workers());
		}
	}

	private static void count(SharedCounter counter, Fleet fleet) {
		long start = System.nanoTime();
		counter.signal(Slot.STATE, 1);
		await().atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> counter.signalled(Slot.FINISHED) >= SECTIONS);
		double seconds = (System.nanoTime() - start) / 1e9;
		long sections = counter.signalled(Slot.FINISHED);
		counter.signal(Slot.STATE, 2);
		long[] shares = IntStream.range(0, fleet.workers()).mapToLong(counter::sections).sorted().toArray();
		System.out.printf("%,d sections by %d workers in %d JVMs: %.1f s, %,.0f sections/s, shares %,d to %,d%n",
				sections, fleet.workers(), fleet.size(), seconds, sections / seconds, shares[0],
				shares[shares.length - 1]);
	}

	private static void verify(SharedCounter counter, int workers) {
		assertThat(counter.get(Slot.COUNTER)).as("counter")
			.isEqualTo(counter.sections())
			.isEqualTo(counter.get(Slot.FINISHED))
			.isGreaterThanOrEqualTo(SECTIONS);
		assertThat(counter.get(Slot.TORN)).as("torn sections").isZero();
		assertThat(counter.get(Slot.OVERLAPS)).as("overlapping sections").isZero();
		assertThat(counter.get(Slot.STALE_TOKENS)).as("tokens that did not grow").isZero();
		long fair = counter.sections() / workers;
		assertThat(IntStream.range(0, workers).mapToLong(counter::sections)).as("share of each worker")
			.allMatch((share) -> share > fair / 10);
	}

}
