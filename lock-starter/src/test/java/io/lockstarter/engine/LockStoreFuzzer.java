// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.store.LockStore.Signals;
import io.lockstarter.testkit.HoldHistory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Instances that acquire, repeat, renew, outlive, requeue, release and leave a few keys
 * at random, and account for every hold.
 */
final class LockStoreFuzzer {

	private static final int THREADS = 8;

	private static final int INSTANCES = 4;

	private static final int KEYS = 2;

	// Half of the instances never listen and are skipped by every release.
	private static final int LISTENING = 2;

	private static final Duration MARGIN = Duration.ofMillis(2);

	private final LockStore store;

	private final String prefix;

	private final HoldHistory history = new HoldHistory(Duration.ofMinutes(1));

	private final AtomicLong sequence = new AtomicLong();

	LockStoreFuzzer(LockStore store, String prefix) {
		this.store = store;
		this.prefix = prefix;
	}

	void run(Duration duration) {
		IntStream.range(0, LISTENING).forEach((i) -> this.store.listen(instance(i), new Deaf()));
		long end = System.nanoTime() + duration.toNanos();
		ExecutorService executor = Executors.newFixedThreadPool(THREADS);
		try {
			CompletableFuture<?>[] threads = IntStream.range(0, THREADS)
				.mapToObj((i) -> CompletableFuture.runAsync(() -> contend(i % INSTANCES, end), executor))
				.toArray(CompletableFuture<?>[]::new);
			assertThat(CompletableFuture.allOf(threads)).succeedsWithin(duration.plusSeconds(20));
		}
		finally {
			executor.shutdownNow();
		}
		assertThat(this.history.violations()).isEmpty();
		assertThat(this.history.grants()).isGreaterThan(50);
		IntStream.range(0, KEYS)
			.forEach((i) -> await().atMost(Duration.ofSeconds(5))
				.until(() -> reply(this.store.acquire(command(i, INSTANCES, 60_000))) instanceof Acquired));
	}

	private void contend(int instance, long end) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		while (System.nanoTime() - end < 0) {
			Acquire command = command(random.nextInt(KEYS), instance, random.nextInt(10, 60));
			long sent = System.nanoTime();
			if (reply(this.store.acquire(command)) instanceof Acquired acquired) {
				hold(command, acquired, sent);
			}
			else if (random.nextInt(20) == 0) {
				reply(this.store.leave(command.key(), command.instance()));
			}
			else {
				think(random, 500);
			}
		}
	}

	private void hold(Acquire command, Acquired acquired, long sent) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		long from = System.nanoTime();
		long deadline = deadline(command, sent);
		think(random, 3_000);
		int next = random.nextInt(8);
		if (next < 2) {
			long resent = System.nanoTime();
			Renew renewal = new Renew(command.key(), command.ownerId(), command.ttl());
			boolean held = reply(this.store.renew(List.of(renewal))).get(0);
			deadline = held ? deadline(command, resent) : Math.min(deadline, resent);
			think(random, 3_000);
		}
		boolean abandon = next == 7;
		account(command, acquired, from, abandon ? deadline : Math.min(deadline, System.nanoTime()));
		if (next == 6) {
			long resent = System.nanoTime();
			if (reply(this.store.acquire(command)) instanceof Acquired again) {
				hold(command, again, resent);
			}
		}
		else if (!abandon) {
			reply(this.store
				.release(new Release(command.key(), command.instance(), command.ownerId(), random.nextBoolean())));
		}
	}

	private static long deadline(Acquire command, long sent) {
		return sent + command.ttl().minus(MARGIN).toNanos();
	}

	private void account(Acquire command, Acquired acquired, long from, long to) {
		if (from < to) {
			this.history.add(command.key(), command.ownerId(), from, to, acquired.firstToken(), acquired.lastToken());
		}
	}

	private Acquire command(int key, int instance, int ttlMillis) {
		String id = instance(instance);
		return new Acquire(this.prefix + ":" + key, id, id + ":" + this.sequence.incrementAndGet(),
				Duration.ofMillis(ttlMillis), this.sequence.get() % 2 == 0, 10);
	}

	private String instance(int number) {
		return this.prefix.replace(':', '-') + "-" + number;
	}

	private static <T> T reply(CompletableFuture<T> future) {
		return future.orTimeout(10, TimeUnit.SECONDS).join();
	}

	private static void think(ThreadLocalRandom random, int maxMicros) {
		LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(maxMicros)));
	}

	private static final class Deaf implements Signals {

		@Override
		public void reserved(String key) {
		}

		@Override
		public void contended(String key) {
		}

		@Override
		public void listening(boolean active) {
		}

	}

}
