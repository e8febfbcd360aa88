// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Many call while Redis does not answer: each call ends in time, and when all have ended
 * there are no more threads than before. More with {@code -Dproof.calls=400}.
 */
@Tag("proof")
class EndsInTimeTest {

	private static final int CALLS = Integer.getInteger("proof.calls", 30);

	private static final int AT_ONCE = 10;

	private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);

	private static final LockOptions DEFAULTS = LockOptions.defaults().withWaitTime(COMMAND_TIMEOUT);

	private final RedisServer redis = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.redis.port());

	private final Instance instance = new Instance(this.proxy.port(),
			Instance.settings(COMMAND_TIMEOUT, Duration.ofSeconds(30)));

	private final ExecutorService callers = Executors.newFixedThreadPool(AT_ONCE);

	private int called;

	@AfterEach
	void close() {
		this.callers.shutdown();
		this.redis.resume();
		this.instance.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	void callsToAHungRedisEndInTimeAndLeaveNoThread() {
		assertCallsEndInTime("hung", this.redis::pause, this.redis::resume);
	}

	@Test
	void callsIntoAPartitionEndInTimeAndLeaveNoThread() {
		assertCallsEndInTime("cut off in silence", this.proxy::stall, this.proxy::heal);
	}

	@Test
	void callsToARedisThatRefusesConnectionsEndInTimeAndLeaveNoThread() {
		assertCallsEndInTime("unreachable", this.proxy::cut, this.proxy::heal);
	}

	private void assertCallsEndInTime(String state, Runnable breaking, Runnable mending) {
		callAll(breaking, mending);
		Map<String, Integer> before = threads();
		List<Duration> durations = new ArrayList<>();
		Duration best = Duration.ofDays(1);
		while (durations.size() < CALLS) {
			List<Duration> together = callAll(breaking, mending);
			durations.addAll(together);
			best = Collections.min(List.of(best, new Figures(together).percentile(50)));
		}
		Figures figures = new Figures(durations);
		System.out.printf("Redis %s, command timeout %d ms: calls ended after, %s%n", state, COMMAND_TIMEOUT.toMillis(),
				figures);
		// A hiccup of a busy machine delays all that call at once.
		assertThat(best).isLessThan(COMMAND_TIMEOUT.plusMillis(100));
		assertThat(figures.max()).isLessThan(COMMAND_TIMEOUT.plusSeconds(5));
		await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> assertThat(more(threads(), before)).isEmpty());
		await().atMost(Duration.ofSeconds(20)).until(() -> this.redis.keys("{lock}lock:call-*").isEmpty());
	}

	/**
	 * A few threads call at once, in every way there is, each for a key of its own.
	 */
	private List<Duration> callAll(Runnable breaking, Runnable mending) {
		await().ignoreExceptions().until(() -> this.instance.registry().call("connect", DEFAULTS, (scope) -> true));
		breaking.run();
		List<CompletableFuture<Duration>> calls = new ArrayList<>();
		for (int i = 0; i < AT_ONCE; i++) {
			int number = this.called++;
			calls.add(CompletableFuture.supplyAsync(() -> time(number), this.callers));
		}
		List<Duration> durations = calls.stream().map(CompletableFuture::join).toList();
		mending.run();
		return durations;
	}

	private Duration time(int number) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> call(number));
		return Duration.ofNanos(System.nanoTime() - start);
	}

	@SuppressWarnings("LockNotBeforeTry") // never taken
	private void call(int number) throws InterruptedException {
		LockRegistry registry = this.instance.registry();
		String key = "call-" + number;
		switch (number % 5) {
			case 0 -> registry.acquire(key, DEFAULTS);
			case 1 -> registry.tryAcquire(key, DEFAULTS.withWaitTime(Duration.ZERO));
			case 2 -> registry.obtain(key).tryLock();
			case 3 -> registry.obtain(key).tryLock(100, TimeUnit.MILLISECONDS);
			default -> registry.call(key, DEFAULTS, (scope) -> "never run");
		}
	}

	/**
	 * Return the threads but for those of the client's pools, which have a size, and of
	 * the test.
	 */
	private static Map<String, Integer> threads() {
		Map<String, Integer> threads = new TreeMap<>();
		Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> Stream.of("lettuce-", "awaitility", "fault-proxy", "process reaper")
				.noneMatch(name::startsWith))
			.forEach((name) -> threads.merge(name.replaceAll("[0-9]+", "#"), 1, Integer::sum));
		return threads;
	}

	private static Map<String, Integer> more(Map<String, Integer> after, Map<String, Integer> before) {
		Map<String, Integer> more = new TreeMap<>(after);
		more.replaceAll((name, number) -> number - before.getOrDefault(name, 0));
		more.values().removeIf((number) -> number <= 0);
		return more;
	}

}
