// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.HoldEvent;
import io.lockstarter.testkit.HoldHistory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Threads of several instances count under locks, in rows that protect themselves by
 * fencing tokens, until told to stop. It is known then whether an update was lost, and
 * whether two were ever told that they hold a key.
 */
final class FencedLoad implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final HoldHistory history = new HoldHistory(PATIENCE.multipliedBy(10));

	private final Map<String, Row> rows = new LinkedHashMap<>();

	private final List<Thread> threads = new ArrayList<>();

	private final Map<String, Long> failures = new ConcurrentHashMap<>();

	private final AtomicLong longest = new AtomicLong();

	/** How long each thread waited for its leases. */
	private final Map<String, Queue<Duration>> waits = new ConcurrentHashMap<>();

	private final LockOptions options;

	private volatile boolean running = true;

	/**
	 * Start.
	 * @param instances where to acquire
	 * @param threads how many threads each of them has
	 * @param keys what to acquire, the first one as often as all others together
	 * @param options how to acquire
	 */
	FencedLoad(List<Instance> instances, int threads, List<String> keys, LockOptions options) {
		this.options = options;
		keys.forEach((key) -> this.rows.put(key, new Row()));
		for (int i = 0; i < instances.size() * threads; i++) {
			Instance instance = instances.get(i % instances.size());
			Random random = new Random(i);
			Thread thread = new Thread(() -> work(instance, keys, random), "load-" + i);
			this.threads.add(thread);
			thread.start();
		}
	}

	private void work(Instance instance, List<String> keys, Random random) {
		Queue<Duration> waited = this.waits.computeIfAbsent(Thread.currentThread().getName(),
				(name) -> new ConcurrentLinkedQueue<>());
		while (this.running) {
			String key = keys.get(random.nextBoolean() ? 0 : random.nextInt(keys.size()));
			long begin = System.nanoTime();
			try (Lease lease = instance.registry().acquire(key, this.options)) {
				waited.add(Duration.ofNanos(System.nanoTime() - begin));
				count(key, lease);
			}
			catch (LockException ex) {
				failed(ex.getClass().getSimpleName() + ": " + ex.getMessage());
				LockSupport.parkNanos(random.nextInt(10_000_000));
			}
			catch (RuntimeException | InterruptedException ex) {
				failed("UNEXPECTED " + ex);
			}
			this.longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
		}
	}

	private void count(String key, Lease lease) {
		long from = System.nanoTime();
		long deadline = from + lease.remaining().toNanos();
		Row row = this.rows.get(key);
		if (deadline == from || !row.claim(lease.fencingToken())) {
			return;
		}
		this.history.add(HoldEvent.granted(key, "", from, deadline, lease.fencingToken()));
		long units = row.read();
		Thread.onSpinWait();
		row.write(units + 1, lease.fencingToken());
		this.history.add(HoldEvent.ended(key, "", System.nanoTime(), lease.fencingToken()));
	}

	private void failed(String why) {
		// Names of servers and keys differ.
		this.failures.merge(why.replaceAll("\\d+", "#"), 1L, Long::sum);
	}

	/**
	 * Wait until each key was used some more times, since now.
	 * @param sections how often
	 */
	void awaitSections(int sections) {
		Map<String, Long> before = new TreeMap<>();
		this.rows.forEach((key, row) -> before.put(key, row.accepted()));
		await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).untilAsserted(() -> {
			List<String> stuck = new ArrayList<>();
			this.rows.forEach((key, row) -> {
				if (row.accepted() < before.get(key) + sections) {
					stuck.add(key);
				}
			});
			assertThat(stuck).as("keys that are not served; failures " + this.failures).isEmpty();
		});
	}

	/**
	 * Return how long threads waited for leases so far.
	 * @return a list for each thread that is running or was
	 */
	List<List<Duration>> waits() {
		return this.waits.values().stream().map(List::copyOf).toList();
	}

	/**
	 * The store may have forgotten the locks of all keys.
	 * @param from when it cannot have happened yet
	 * @param to when it has happened
	 */
	void forgotten(String cause, long from, long to) {
		this.rows.keySet().forEach((key) -> this.history.add(HoldEvent.forgotten(key, cause, from, to)));
	}

	/**
	 * Stop, and check that no update was lost, and nobody told held with somebody else
	 * unless the store had forgotten a lock.
	 * @return what happened
	 */
	Outcome stop() throws InterruptedException {
		this.running = false;
		for (Thread thread : this.threads) {
			thread.join(PATIENCE.toMillis());
			assertThat(thread.isAlive()).as("a thread is wedged").isFalse();
		}
		this.rows.forEach((key, row) -> assertThat(row.read()).as("lost updates of " + key).isEqualTo(row.accepted()));
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.failures.keySet()).noneMatch((failure) -> failure.startsWith("UNEXPECTED"));
		Outcome outcome = new Outcome(this.rows.values().stream().mapToLong(Row::accepted).sum(),
				this.rows.values().stream().mapToLong(Row::refused).sum(), this.history.excused(),
				new TreeMap<>(this.failures), Duration.ofNanos(this.longest.get()));
		System.out.println(outcome);
		return outcome;
	}

	@Override
	public void close() {
		this.running = false;
		this.threads.forEach(Thread::interrupt);
	}

	/**
	 * What happened.
	 *
	 * @param sections how many sections wrote
	 * @param fenced how many were refused because of their token
	 * @param overlaps pairs of leases because the store had forgotten one, by cause
	 * @param failures attempts that failed, by reason
	 * @param longest what the longest section or attempt took
	 */
	record Outcome(long sections, long fenced, Map<String, Long> overlaps, Map<String, Long> failures,
			Duration longest) {

		@Override
		public String toString() {
			return "%,d sections, %,d refused by the fence, overlaps %s, failures %s, the longest attempt %d ms"
				.formatted(this.sections, this.fenced, this.overlaps, this.failures, this.longest.toMillis());
		}

	}

	/**
	 * As a row of a {@link FencedTable}: what is read and written is not atomic together.
	 */
	private static final class Row {

		private long fence = Long.MIN_VALUE;

		private long units;

		private long accepted;

		private long refused;

		/**
		 * Let nobody with a smaller token, or the same, read or write any more.
		 */
		synchronized boolean claim(long token) {
			boolean newer = token > this.fence;
			this.fence = Math.max(this.fence, token);
			this.refused += newer ? 0 : 1;
			return newer;
		}

		synchronized long read() {
			return this.units;
		}

		synchronized void write(long written, long token) {
			if (token == this.fence) {
				this.units = written;
				this.accepted++;
			}
			else {
				this.refused++;
			}
		}

		synchronized long accepted() {
			return this.accepted;
		}

		synchronized long refused() {
			return this.refused;
		}

	}

}
