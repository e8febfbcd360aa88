package io.lockstarter.proof;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.proof.SharedCounter.Slot;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Several JVMs with several threads each want one key.
 */
class SeveralJvmsTest {

	private static final int JVMS = 4;

	private static final int WORKERS = 6;

	private static final int SECTIONS = 200_000;

	@TempDir
	private Path directory;

	@Test
	void noUpdateIsLostAndTokensGrowAndEveryThreadIsServed() {
		Path file = this.directory.resolve("counter");
		SharedCounter counter = new SharedCounter(file);
		List<JvmProcess> children = new ArrayList<>();
		try (RedisServer redis = RedisServers.start()) {
			for (int jvm = 0; jvm < JVMS; jvm++) {
				children.add(JvmProcess.start(CountingApplication.class, redis.port(), file, jvm, WORKERS,
						jvm * WORKERS, Duration.ofSeconds(10)));
			}
			children.forEach((child) -> child.await("ready"));
			count(counter);
			children.forEach((child) -> child.await("done"));
			assertThat(children).allSatisfy((child) -> assertThat(child.awaitEnd()).isZero());
		}
		finally {
			children.forEach(JvmProcess::close);
		}
		verify(counter);
	}

	private static void count(SharedCounter counter) {
		long start = System.nanoTime();
		counter.signal(Slot.STATE, 1);
		await().atMost(Duration.ofMinutes(2))
			.pollInterval(Duration.ofMillis(10))
			.until(() -> counter.signalled(Slot.FINISHED) >= SECTIONS);
		double seconds = (System.nanoTime() - start) / 1e9;
		long sections = counter.signalled(Slot.FINISHED);
		counter.signal(Slot.STATE, 2);
		long[] shares = IntStream.range(0, JVMS * WORKERS).mapToLong(counter::sections).sorted().toArray();
		System.out.printf("%,d sections in %d JVMs x %d workers: %.1f s, %,.0f sections/s, shares %,d to %,d%n",
				sections, JVMS, WORKERS, seconds, sections / seconds, shares[0], shares[shares.length - 1]);
	}

	private static void verify(SharedCounter counter) {
		assertThat(counter.get(Slot.COUNTER)).as("counter")
			.isEqualTo(counter.sections())
			.isEqualTo(counter.get(Slot.FINISHED))
			.isGreaterThanOrEqualTo(SECTIONS);
		assertThat(counter.get(Slot.TORN)).as("torn sections").isZero();
		assertThat(counter.get(Slot.OVERLAPS)).as("overlapping sections").isZero();
		assertThat(counter.get(Slot.STALE_TOKENS)).as("tokens that did not grow").isZero();
		long fair = counter.sections() / (JVMS * WORKERS);
		assertThat(IntStream.range(0, JVMS * WORKERS).mapToLong(counter::sections)).as("share of each worker")
			.allMatch((share) -> share > fair / 10);
	}

}
