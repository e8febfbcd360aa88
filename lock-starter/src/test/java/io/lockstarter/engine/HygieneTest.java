// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.netty.util.HashedWheelTimer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests that very many acquisitions leave no more behind than a few: in two registries on
 * a real Redis, which wait for each other, time out and are interrupted.
 */
@Timeout(240)
class HygieneTest {

	private static final int KEYS = 4;

	private static final int CALLERS = 8;

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private final RedisServer redis = RedisServers.start();

	private final List<Node> nodes = List.of(new Node("a"), new Node("b"));

	private final AtomicInteger served = new AtomicInteger();

	private final AtomicInteger refused = new AtomicInteger();

	private final AtomicInteger interrupted = new AtomicInteger();

	@AfterEach
	void close() {
		this.nodes.forEach(Node::close);
		this.redis.close();
	}

	@Test
	void tenThousandContendedAcquisitionsLeaveNothingBehind() {
		// Whoever never met the other one does not listen yet.
		do {
			acquire(50);
		}
		while (this.redis.commands().pubsubChannels("*").size() < 2);
		awaitCalm();
		Map<String, Integer> before = inventory();
		acquire(10_000 / CALLERS);
		assertThat(this.served).hasValueGreaterThan(1_000);
		assertThat(this.refused).hasValueGreaterThan(500);
		assertThat(this.interrupted).hasValueGreaterThan(200);
		awaitCalm();
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThat(more(inventory(), before)).isEmpty());
		assertThat(before).containsEntry("channels", 2).containsEntry("subscribers", 2);
		// Waits for the grace time if it still knows of a holder or a waiter.
		for (Node node : this.nodes) {
			Caller.start(() -> {
				node.registry.stop();
				return true;
			}).value();
			assertThat(node.timers).as("timers after the stop").isEmpty();
		}
	}

	/**
	 * Wait until Redis holds nothing but the last tokens.
	 */
	private void awaitCalm() {
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(
					() -> assertThat(this.redis.keys("*")).containsExactlyInAnyOrder("{lock}fence", "{lock}server"));
		// Timers that are left belong to leases that are over: one sweep, and they are
		// gone.
		await().atMost(Duration.ofSeconds(10))
			.until(() -> this.nodes.stream().allMatch((node) -> node.timers.isEmpty()));
	}

	/**
	 * Return what there is of everything that could be left behind.
	 */
	private Map<String, Integer> inventory() {
		Map<String, Integer> inventory = new TreeMap<>();
		Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> !name.startsWith("awaitility"))
			.forEach((name) -> inventory.merge("thread " + name.replaceAll("[0-9]+", "#"), 1, Integer::sum));
		List<String> channels = this.redis.commands().pubsubChannels("*");
		inventory.put("channels", channels.size());
		inventory.put("subscribers",
				this.redis.commands()
					.pubsubNumsub(channels.toArray(String[]::new))
					.values()
					.stream()
					.mapToInt(Long::intValue)
					.sum());
		inventory.put("connections", (int) this.redis.commands().clientList().lines().count());
		inventory.put("keys", this.redis.commands().dbsize().intValue());
		this.nodes.forEach((node) -> {
			inventory.put("timers of " + node.id, node.timers.size());
			inventory.put("timers of the client of " + node.id, node.clientTimers());
		});
		return inventory;
	}

	private static Map<String, Integer> more(Map<String, Integer> after, Map<String, Integer> before) {
		Map<String, Integer> more = new TreeMap<>(after);
		more.replaceAll((what, number) -> number - before.getOrDefault(what, 0));
		more.values().removeIf((number) -> number <= 0);
		return more;
	}

	private void acquire(int times) {
		List<Caller<Boolean>> callers = new ArrayList<>();
		for (int i = 0; i < CALLERS; i++) {
			DefaultLockRegistry registry = this.nodes.get(i % 2).registry;
			callers.add(Caller.start(() -> {
				for (int j = 0; j < times; j++) {
					acquire(registry);
				}
				return true;
			}));
		}
		while (callers.stream().anyMatch((caller) -> !caller.isDone())) {
			callers.get(ThreadLocalRandom.current().nextInt(callers.size())).interrupt();
			LockSupport.parkNanos(2_000_000);
		}
		callers.forEach(Caller::value);
	}

	private void acquire(DefaultLockRegistry registry) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		String key = "key" + random.nextInt(KEYS);
		// However fast the machine is, those that do not wait are refused often.
		long waitTime = (random.nextInt(4) == 0) ? 0 : random.nextInt(8_000_000);
		LockOptions options = DEFAULTS.withWaitTime(Duration.ofNanos(waitTime));
		try {
			boolean got = switch (random.nextInt(4)) {
				case 0 -> tryAcquire(registry, key, options);
				case 1 -> tryLock(registry.obtain(key), waitTime);
				case 2 -> tryAcquire(registry, key, DEFAULTS);
				default -> acquireAsync(registry.acquireAsync(key, options), random.nextInt(8_000_000));
			};
			(got ? this.served : this.refused).incrementAndGet();
		}
		catch (InterruptedException ex) {
			this.interrupted.incrementAndGet();
		}
		catch (LockStoreException ex) {
			// Redis answered others first, and the wait time was over before that.
			this.refused.incrementAndGet();
		}
	}

	private static boolean tryAcquire(DefaultLockRegistry registry, String key, LockOptions options)
			throws InterruptedException {
		Optional<Lease> lease = registry.tryAcquire(key, options);
		lease.ifPresent((held) -> {
			LockSupport.parkNanos(300_000);
			held.close();
		});
		return lease.isPresent();
	}

	private static boolean tryLock(LeasedLock lock, long nanos) throws InterruptedException {
		if (!lock.tryLock(nanos, TimeUnit.NANOSECONDS)) {
			return false;
		}
		lock.unlock();
		return true;
	}

	private static boolean acquireAsync(CompletableFuture<Lease> request, long nanos) {
		CompletableFuture<Boolean> released = request.thenCompose(Lease::releaseAsync);
		LockSupport.parkNanos(nanos);
		request.cancel(true);
		return released.exceptionally((failure) -> false).join();
	}

	/**
	 * One application, whose timers are counted.
	 */
	private final class Node {

		private final String id;

		private final Set<Object> timers = ConcurrentHashMap.newKeySet();

		// Its own: what the test itself asks Redis leaves timers for a moment, too.
		private final HashedWheelTimer clientTimer = new HashedWheelTimer();

		private final LettuceConnectionFactory factory = HygieneTest.this.redis.connectionFactory((configuration) -> {
		}, (client) -> client.clientResources(RedisServers.clientResources().mutate().timer(this.clientTimer).build()));

		private final RedisLockStore store = new RedisLockStore(this.factory, RedisStoreSettings.defaults());

		private final Platform platform = new ForwardingPlatform() {

			@Override
			public Timer timer(String thread) {
				return new CountedTimer(super.timer(thread));
			}

			// What looks after threads is not counted.
			@Override
			public Workers workers(String thread, Timer timer) {
				return super.workers(thread, ((CountedTimer) timer).timer);
			}

		};

		private final DefaultLockRegistry registry;

		Node(String id) {
			this.id = id;
			// The grace time is one that no test would wait for.
			RegistrySettings settings = RegistrySettings.defaults()
				.withTtl(Duration.ofSeconds(2))
				.withPollInterval(Duration.ofSeconds(1))
				.withSlice(Duration.ofMillis(5))
				.withShutdownGrace(Duration.ofHours(1));
			this.registry = new DefaultLockRegistry(id, this.store, settings, List.of(), List.of(), this.platform);
		}

		/**
		 * Return how many timeouts the Lettuce client still waits for: those of commands,
		 * of connections and of whatever else it watches.
		 */
		int clientTimers() {
			return (int) this.clientTimer.pendingTimeouts();
		}

		void close() {
			this.registry.stop();
			this.store.close();
			this.factory.destroy();
			this.clientTimer.stop();
		}

		private final class CountedTimer implements Timer {

			private final Timer timer;

			CountedTimer(Timer timer) {
				this.timer = timer;
			}

			@Override
			public long nanoTime() {
				return this.timer.nanoTime();
			}

			@Override
			public Runnable repeat(Runnable task, long pause) {
				throw new UnsupportedOperationException();
			}

			@Override
			public Runnable schedule(Runnable task, long delay) {
				Object pending = new Object();
				Node.this.timers.add(pending);
				Runnable cancellation = this.timer.schedule(() -> {
					Node.this.timers.remove(pending);
					task.run();
				}, delay);
				return () -> {
					Node.this.timers.remove(pending);
					cancellation.run();
				};
			}

			@Override
			public void start() {
				this.timer.start();
			}

			@Override
			public void endWhenIdle() {
				this.timer.endWhenIdle();
			}

			@Override
			public void end() {
				this.timer.end();
			}

		}

	}

}
