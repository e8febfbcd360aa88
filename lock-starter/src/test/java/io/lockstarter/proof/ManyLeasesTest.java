package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One JVM holds very many locks at once. More with
 * {@code -Dproof.leases=100000 -Dproof.ttl=10000}.
 */
class ManyLeasesTest {

	private static final int LEASES = Integer.getInteger("proof.leases", 10_000);

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofMillis(Long.getLong("proof.ttl", 3000)));

	private final Logger logger = Logger.getLogger("io.lockstarter");

	private final Complaints complaints = new Complaints();

	@BeforeEach
	void listen() {
		this.logger.addHandler(this.complaints);
	}

	@AfterEach
	void listenNoMore() {
		this.logger.removeHandler(this.complaints);
	}

	@Test
	void allAreRenewedByFewCommandsAndThreadsAndNoneIsLost() {
		try (RedisServer redis = RedisServers.start(); Instance instance = new Instance(redis.port())) {
			instance.registry().call("connect", OPTIONS, () -> null);
			int threads = Thread.activeCount();
			long start = System.nanoTime();
			List<Lease> leases = acquire(instance);
			double seconds = (System.nanoTime() - start) / 1e9;
			CommandStats stats = new CommandStats(redis);
			await().atMost(OPTIONS.ttl().multipliedBy(2)).until(() -> stats.calls("pexpire") >= 2L * LEASES);
			System.out.printf("%,d leases: acquired in %.1f s, renewed twice by %d commands%n", LEASES, seconds,
					stats.calls("evalsha"));
			assertThat(leases).allMatch(Lease::isValid);
			assertThat(Thread.activeCount() - threads).as("more threads").isLessThan(10);
			assertThat(instance.events()).isEmpty();
			leases.forEach(ManyLeasesTest::release);
			await().until(() -> redis.commands().keys("{lock:many-*}").isEmpty());
		}
		assertThat(this.complaints.messages).isEmpty();
	}

	private static List<Lease> acquire(Instance instance) {
		Semaphore inFlight = new Semaphore(2000);
		List<CompletableFuture<Lease>> acquiring = IntStream.range(0, LEASES).mapToObj((i) -> {
			inFlight.acquireUninterruptibly();
			return instance.registry()
				.acquireAsync("many-" + i, OPTIONS)
				.whenComplete((lease, failure) -> inFlight.release());
		}).toList();
		return acquiring.stream().map(CompletableFuture::join).toList();
	}

	private static void release(Lease lease) {
		var unused = lease.release();
	}

	/**
	 * What the starter logs as severe.
	 */
	private static final class Complaints extends Handler {

		private final Queue<String> messages = new ConcurrentLinkedQueue<>();

		@Override
		public void publish(LogRecord record) {
			if (record.getLevel().intValue() >= Level.SEVERE.intValue()) {
				this.messages.add(record.getMessage() + ": " + record.getThrown());
			}
		}

		@Override
		public void flush() {
		}

		@Override
		public void close() {
		}

	}

}
