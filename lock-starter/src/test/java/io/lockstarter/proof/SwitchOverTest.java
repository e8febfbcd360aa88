// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Sentinel makes the replica the primary although the old one lives, as for maintenance.
 * The old one goes on taking writes, for about ten seconds, of whoever is still connected
 * to it, while newcomers are led to the new one.
 */
@Tag("proof")
class SwitchOverTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofMillis(1500))
		.withWaitTime(Duration.ofSeconds(5));

	/** By when everybody has left the old primary; about the time of a reconnect. */
	private static final Duration SETTLED = Duration.ofSeconds(1);

	/** By then Sentinel has made a replica of the old primary. */
	private static final Duration CONVERTED = Duration.ofSeconds(13);

	private final SentinelGroup group = new SentinelGroup(Duration.ofSeconds(3), Duration.ofSeconds(10));

	private final RedisServer next = this.group.replica();

	private final Instance before = instance();

	@BeforeEach
	void connect() {
		await().ignoreExceptions().until(() -> this.before.registry().call(KEY, OPTIONS, (scope) -> true));
		await().ignoreExceptions().until(() -> this.before.registry().call("hot", OPTIONS, (scope) -> true));
	}

	@AfterEach
	void close() {
		this.before.close();
		this.group.close();
	}

	@Test
	void holderIsConfirmedAtTheNewPrimaryOrToldAtOnce() throws InterruptedException {
		Lease held = this.before.registry().acquire(KEY, OPTIONS);
		await().until(() -> this.next.commands().exists("{lock}lock:" + KEY) == 1);
		long switched = switchOver();
		try (Instance newcomer = instance()) {
			Lease taken = null;
			long bothUntil = switched;
			while (System.nanoTime() - switched < CONVERTED.toNanos()) {
				if (taken == null) {
					taken = tryOnce(newcomer).orElse(null);
				}
				if (taken != null && taken.isValid() && held.isValid()) {
					bothUntil = System.nanoTime();
				}
				LockSupport.parkNanos(5_000_000);
			}
			Duration overlap = Duration.ofNanos(bothUntil - switched);
			System.out.printf("Switched while the old primary lives: two valid holders up to %d ms, holder %s, %s%n",
					overlap.toMillis(), held.isValid() ? "confirmed" : "told", this.before.events());
			assertThat(overlap).as("the last instant after the switch at which both were valid").isLessThan(SETTLED);
			assertThat(held.isValid()).as("valid, unless it was told otherwise")
				.isEqualTo(this.before.events().isEmpty());
			if (taken != null) {
				assertThat(taken.fencingToken()).isGreaterThan(held.fencingToken());
				taken.close();
			}
			held.close();
		}
	}

	@Test
	void tokensOfBothPrimariesDifferAndThoseOfTheNewOneWin() throws InterruptedException {
		Queue<Section> sections = new ConcurrentLinkedQueue<>();
		List<Thread> workers = new ArrayList<>(work(this.before, 0, sections));
		await().until(() -> sections.size() > 1000);
		long switched = switchOver();
		try (Instance newcomer = instance()) {
			workers.addAll(work(newcomer, 1, sections));
			await().pollDelay(Duration.ofSeconds(5)).atMost(Duration.ofSeconds(10)).until(() -> true);
			workers.forEach(Thread::interrupt);
			for (Thread worker : workers) {
				worker.join();
			}
		}
		judge(sections.stream().sorted(Comparator.comparingLong(Section::from)).toList(), switched);
	}

	/**
	 * Two sections of one token must not be; nor must a section of the newcomer, whose
	 * tokens all come from the new primary, have a token that is not larger than those of
	 * all sections that were over by then. A section whose token is smaller belongs to
	 * the old primary, and would be refused.
	 */
	private static void judge(List<Section> sections, long switched) {
		Set<Long> tokens = new HashSet<>();
		int twice = 0;
		int stale = 0;
		int fenced = 0;
		int overlaps = 0;
		long lastOverlap = switched;
		long largestOfThoseOver = 0;
		PriorityQueue<Section> open = new PriorityQueue<>(Comparator.comparingLong(Section::to));
		for (Section section : sections) {
			twice += tokens.add(section.token()) ? 0 : 1;
			while (!open.isEmpty() && open.peek().to() <= section.from()) {
				largestOfThoseOver = Math.max(largestOfThoseOver, open.remove().token());
			}
			if (section.token() <= largestOfThoseOver) {
				fenced += (section.client() == 0) ? 1 : 0;
				stale += (section.client() == 1) ? 1 : 0;
			}
			for (Section other : open) {
				overlaps++;
				lastOverlap = Math.max(lastOverlap, Math.min(other.to(), section.to()));
			}
			open.add(section);
		}
		long newcomers = sections.stream().filter((section) -> section.client() == 1).count();
		System.out.printf(
				"Switched under load: %,d sections, %,d of the newcomer; overlaps %,d, the last %d ms after; "
						+ "tokens given twice %,d, not larger at the new primary %,d, fenced %,d%n",
				sections.size(), newcomers, overlaps, (lastOverlap - switched) / 1_000_000, twice, stale, fenced);
		assertThat(newcomers).isGreaterThan(100);
		assertThat(sections.get(sections.size() - 1).from() - switched).as("served to the end")
			.isGreaterThan(Duration.ofSeconds(4).toNanos());
		assertThat(twice).as("tokens given twice").isZero();
		assertThat(stale).as("tokens of the new primary that are not larger").isZero();
		assertThat(Duration.ofNanos(lastOverlap - switched)).as("the last overlap").isLessThan(SETTLED);
	}

	private static List<Thread> work(Instance instance, int client, Queue<Section> sections) {
		return IntStream.range(0, 4).mapToObj((i) -> {
			Thread thread = new Thread(() -> work(instance.registry()::acquire, client, sections), "worker-" + client);
			thread.start();
			return thread;
		}).toList();
	}

	private static void work(Acquirer acquirer, int client, Queue<Section> sections) {
		while (!Thread.currentThread().isInterrupted()) {
			try (Lease lease = acquirer.acquire("hot", OPTIONS)) {
				long from = System.nanoTime();
				// No longer than it may believe so.
				long deadline = from + lease.remaining().toNanos();
				sections.add(new Section(client, lease.fencingToken(), from, Math.min(System.nanoTime(), deadline)));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (LockException ex) {
				LockSupport.parkNanos(1_000_000);
			}
		}
	}

	private static Optional<Lease> tryOnce(Instance instance) throws InterruptedException {
		try {
			return instance.registry().tryAcquire(KEY, OPTIONS.withWaitTime(Duration.ZERO));
		}
		catch (LockException ex) {
			return Optional.empty();
		}
	}

	/**
	 * Returns when newcomers are led to the new primary.
	 * @return that instant
	 */
	private long switchOver() {
		this.group.switchOver();
		return System.nanoTime();
	}

	private Instance instance() {
		return new Instance(this.group.configuration(),
				Instance.settings(Duration.ofSeconds(1), Duration.ofSeconds(1)));
	}

	private interface Acquirer {

		Lease acquire(String key, LockOptions options) throws InterruptedException;

	}

	/**
	 * What one holder was told.
	 *
	 * @param client 0 for the one from before, 1 for the newcomer
	 * @param token the fencing token
	 * @param from when it learned that it holds the key
	 * @param to when it was done, or its deadline was over
	 */
	private record Section(int client, long token, long from, long to) {
	}

}
