// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Several keys that are locked together, by several callers at once or while Redis hangs.
 */
class SeveralKeysAtOnceTest {

	private static final int ROUNDS = 200;

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(1);

	// Of a busy machine; less than a timeout for each of eight keys would take.
	private static final Duration STALL = Duration.ofMillis(2500);

	private static final LockOptions OPTIONS = LockOptions.defaults();

	private static final List<String> KEYS = IntStream.range(0, 8).mapToObj((i) -> "stock:" + i).toList();

	private final RedisServer redis = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.redis.port());

	private final Instance one = instance(this.proxy.port());

	private final Instance other = instance(this.redis.port());

	@BeforeEach
	void connect() {
		await().ignoreExceptions().until(() -> this.one.registry().call("connect", OPTIONS, (scope) -> true));
		await().ignoreExceptions().until(() -> this.other.registry().call("connect", OPTIONS, (scope) -> true));
	}

	@AfterEach
	void close() {
		this.proxy.heal();
		this.one.close();
		this.other.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	void ofTwoInstancesThatTryOnceOneGetsAllKeys() throws Exception {
		assertOneWinsEachRound(this.one, this.other);
	}

	@Test
	void ofTwoThreadsOfAnInstanceThatTryOnceOneGetsAllKeys() throws Exception {
		assertOneWinsEachRound(this.one, this.one);
	}

	@Test
	void callsToAHungRedisEndWithinOneCommandTimeout() {
		LeasedLock lock = this.one.registry().obtainAll(KEYS, OPTIONS.withWaitTime(Duration.ZERO));
		await().pollInSameThread().ignoreExceptionsInstanceOf(LockException.class).until(lock::tryLock);
		lock.unlock();
		this.redis.pause();
		assertEndsInTime(COMMAND_TIMEOUT,
				() -> assertThatExceptionOfType(LockException.class).isThrownBy(lock::tryLock));
		this.redis.resume();
		await().pollInSameThread().ignoreExceptionsInstanceOf(LockException.class).until(lock::tryLock);
		this.redis.pause();
		assertEndsInTime(COMMAND_TIMEOUT, lock::unlock);
		this.redis.resume();
		await().untilAsserted(
				() -> assertThat(this.redis.commands().exists("{lock}lock:stock:0", "{lock}lock:stock:7")).isZero());
	}

	@Test
	void keysThatWereAskedForWhenRedisHungAreGivenUpWithinOneCommandTimeout() {
		this.proxy.loseReplyTo("stock:7", false);
		assertGivenUpInTime();
	}

	/**
	 * One key is refused, and nothing comes back any more once the others are given back.
	 */
	@Test
	void keysThatWereGrantedWhenRedisHungAreGivenBackWithinOneCommandTimeout() {
		this.redis.commands().lpush("{lock}lock:stock:7", "of another type");
		this.proxy.loseReplyTo(Wire.RELEASE, false);
		assertGivenUpInTime();
	}

	private void assertGivenUpInTime() {
		LeasedLock lock = this.one.registry().obtainAll(KEYS, OPTIONS.withWaitTime(Duration.ZERO));
		CompletableFuture<Duration> tried = CompletableFuture.supplyAsync(() -> {
			long begin = System.nanoTime();
			assertThatExceptionOfType(LockException.class).isThrownBy(lock::tryLock);
			return Duration.ofNanos(System.nanoTime() - begin);
		});
		// It need not come to that if no key was granted.
		await().pollInterval(Duration.ofMillis(1)).until(() -> this.proxy.isReplyLost() || tried.isDone());
		this.proxy.stall();
		Duration total = tried.orTimeout(1, TimeUnit.MINUTES).join();
		System.out.printf("Eight keys, Redis hangs: %d ms with a command timeout of %d ms%n", total.toMillis(),
				COMMAND_TIMEOUT.toMillis());
		assertThat(total).isLessThan(COMMAND_TIMEOUT.multipliedBy(2).plus(STALL));
		this.proxy.loseNothing();
		this.proxy.heal();
		this.redis.commands().del("{lock}lock:stock:7");
		await().pollInSameThread().ignoreExceptionsInstanceOf(LockException.class).until(lock::tryLock);
		lock.unlock();
	}

	private void assertOneWinsEachRound(Instance first, Instance second) throws Exception {
		List<String> keys = KEYS.subList(0, 3);
		AtomicInteger nobody = new AtomicInteger();
		AtomicInteger both = new AtomicInteger();
		AtomicInteger winners = new AtomicInteger();
		CyclicBarrier begin = new CyclicBarrier(2);
		CyclicBarrier tried = new CyclicBarrier(2, () -> {
			int count = winners.getAndSet(0);
			nobody.addAndGet((count == 0) ? 1 : 0);
			both.addAndGet((count == 2) ? 1 : 0);
		});
		CompletableFuture<Void> ended = new CompletableFuture<>();
		AtomicInteger running = new AtomicInteger(2);
		for (Instance instance : List.of(first, second)) {
			LeasedLock lock = instance.registry().obtainAll(keys, OPTIONS);
			new Thread(() -> {
				try {
					for (int i = 0; i < ROUNDS; i++) {
						begin.await(20, TimeUnit.SECONDS);
						boolean won = lock.tryLock();
						winners.addAndGet(won ? 1 : 0);
						tried.await(20, TimeUnit.SECONDS);
						if (won) {
							lock.unlock();
						}
					}
					if (running.decrementAndGet() == 0) {
						ended.complete(null);
					}
				}
				catch (Exception ex) {
					// The first failure is the cause of the other one.
					ended.completeExceptionally(ex);
				}
			}, "tries-once").start();
		}
		ended.get(1, TimeUnit.MINUTES);
		assertThat(both).as("rounds that both won").hasValue(0);
		assertThat(nobody).as("rounds that nobody won").hasValue(0);
	}

	private static void assertEndsInTime(Duration bound, Runnable call) {
		long begin = System.nanoTime();
		call.run();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(bound.plus(STALL));
	}

	private static Instance instance(int port) {
		return new Instance(port, Instance.settings(COMMAND_TIMEOUT, Duration.ofSeconds(30)));
	}

}
