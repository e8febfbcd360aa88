// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * One JVM holds very many locks at once. More with
 * {@code -Dproof.leases=100000 -Dproof.ttl=10000}, and for longer with
 * {@code -Dproof.seconds=300}.
 */
class ManyLeasesTest {

	private static final int LEASES = Integer.getInteger("proof.leases", 10_000);

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofMillis(Long.getLong("proof.ttl", 6000)));

	private static final Duration MORE_TIME = Duration.ofSeconds(Long.getLong("proof.seconds", 0));

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.lockstarter");

	private final Complaints complaints = new Complaints();

	@BeforeEach
	void listen() {
		this.complaints.start();
		this.logger.addAppender(this.complaints);
	}

	@AfterEach
	void listenNoMore() {
		this.logger.detachAppender(this.complaints);
	}

	@Test
	void allAreRenewedByFewCommandsAndThreadsAndNoneIsLost() {
		try (RedisServer redis = RedisServers.start(); Instance instance = new Instance(redis.port())) {
			instance.registry().call("connect", OPTIONS, (scope) -> null);
			int threads = Thread.activeCount();
			long memory = memoryInUse();
			long start = System.nanoTime();
			List<Lease> leases = acquire(instance);
			double seconds = (System.nanoTime() - start) / 1e9;
			CommandStats stats = new CommandStats(redis);
			await().atMost(OPTIONS.ttl().multipliedBy(2)).until(() -> stats.calls("pexpire") >= 2L * LEASES);
			System.out.printf("%,d leases: acquired in %.1f s, renewed twice by %d commands%n", LEASES, seconds,
					stats.calls("evalsha"));
			Set<String> late = new HashSet<>();
			Duration least = watch(leases, late);
			memory = memoryInUse() - memory;
			System.out.printf(
					"held for %d s more: least time left %d of %d ms, %,d leases renewed late, %d threads more, %d bytes a lease%n",
					MORE_TIME.toSeconds(), least.toMillis(), OPTIONS.ttl().toMillis(), late.size(),
					Thread.activeCount() - threads, memory / LEASES);
			assertThat(leases).allMatch(Lease::isValid);
			assertThat(memory / LEASES).as("bytes a lease").isLessThan(4096);
			assertThat(libraryThreads()).isSubsetOf("lock-starter-deadlines", "lock-starter-watchdog",
					"lock-starter-callbacks");
			assertThat(Thread.activeCount() - threads).as("more threads").isLessThan(10);
			assertThat(instance.events()).isEmpty();
			leases.forEach(ManyLeasesTest::release);
			await().until(() -> redis.keys("{lock}lock:many-*").isEmpty());
		}
		assertThat(this.complaints.messages).isEmpty();
	}

	/**
	 * Look at all leases, again and again. One that has less than half of its ttl left
	 * was to be renewed a sixth of the ttl ago.
	 */
	private static Duration watch(List<Lease> leases, Set<String> late) {
		long start = System.nanoTime();
		Duration least = OPTIONS.ttl();
		do {
			for (Lease lease : leases) {
				Duration remaining = lease.remaining();
				if (remaining.multipliedBy(2).compareTo(OPTIONS.ttl()) < 0) {
					late.add(lease.key());
				}
				least = (remaining.compareTo(least) < 0) ? remaining : least;
			}
			LockSupport.parkNanos(200_000_000);
		}
		while (System.nanoTime() - start < MORE_TIME.toNanos());
		return least;
	}

	/**
	 * Return the names of our threads, but for those that connect or log: other tests of
	 * this JVM may have left some behind, and they end by themselves.
	 */
	private static Set<String> libraryThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("lock-starter") && !name.equals("lock-starter-connect")
					&& !name.equals("lock-starter-log"))
			.collect(Collectors.toSet());
	}

	private static long memoryInUse() {
		for (int i = 0; i < 3; i++) {
			System.gc();
		}
		return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
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
		var unused = lease.releaseAsync();
	}

	/**
	 * What the starter logs as an error.
	 */
	private static final class Complaints extends AppenderBase<ILoggingEvent> {

		private final Queue<String> messages = new ConcurrentLinkedQueue<>();

		@Override
		protected void append(ILoggingEvent event) {
			if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
				this.messages.add(event.getFormattedMessage() + ": " + event.getThrowableProxy());
			}
		}

	}

}
