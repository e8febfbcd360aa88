// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many wait, one is released: how many wake up, and how many of those in vain.
 */
class WakeUpTest {

	private static final int WAITERS = 5;

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private final RedisServer redis = RedisServers.start();

	private final List<Instance> instances = Stream.generate(() -> new Instance(this.redis.port()))
		.limit(WAITERS + 1)
		.toList();

	@AfterEach
	void close() {
		this.instances.forEach(Instance::close);
		this.redis.close();
	}

	@Test
	void naiveReleaseWakesAllAndAllButOneFindTheLockTaken() throws InterruptedException {
		AtomicInteger wakeUps = new AtomicInteger();
		AtomicInteger winners = new AtomicInteger();
		CountDownLatch tried = new CountDownLatch(WAITERS);
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.redis.port()));
		try {
			IntStream.range(0, WAITERS).forEach((i) -> subscribe(client, () -> {
				wakeUps.incrementAndGet();
				this.redis.connection().async().setnx("naive", "waiter-" + i).thenAccept((won) -> {
					winners.addAndGet(won ? 1 : 0);
					tried.countDown();
				});
			}));
			this.redis.commands().publish("released", "naive");
			tried.await();
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
		assertThat(wakeUps).hasValue(WAITERS);
		assertThat(winners).as("the others woke in vain").hasValue(1);
	}

	private static void subscribe(RedisClient client, Runnable wakeUp) {
		StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
		connection.addListener(new RedisPubSubAdapter<>() {

			@Override
			public void message(String channel, String message) {
				wakeUp.run();
			}

		});
		connection.sync().subscribe("released");
	}

	@Test
	void ourReleaseWakesOneInstanceWhichFindsTheLockItsOwn() throws InterruptedException {
		Lease lease = this.instances.get(0).registry().acquire("ours", PATIENT);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (Instance instance : this.instances.subList(1, WAITERS + 1)) {
			waiting.add(instance.registry().acquireAsync("ours", PATIENT));
			awaitInQueue(instance.id());
		}
		CommandStats stats = new CommandStats(this.redis);
		for (int i = 0; i < WAITERS; i++) {
			stats.restart();
			lease.close();
			lease = waiting.get(i).join();
			assertThat(stats.calls("publish")).as("wake-ups").isEqualTo(1);
			assertThat(stats.calls("zadd")).as("those who asked in vain, and queued").isZero();
			assertThat(stats.calls("evalsha")).as("one release, and a renewal of each of the two").isBetween(1L, 3L);
			assertThat(waiting.subList(i + 1, WAITERS)).as("who came later").noneMatch(CompletableFuture::isDone);
		}
		lease.close();
	}

	/**
	 * The holder waited before, and so is told that others wait. One who never did is
	 * not, and sends his release once more.
	 */
	@Test
	void nobodyElseStirsAfterTheHandOver() throws InterruptedException {
		Lease first = this.instances.get(0).registry().acquire("ours", PATIENT);
		List<CompletableFuture<Lease>> waiting = new ArrayList<>();
		for (Instance instance : this.instances.subList(1, WAITERS + 1)) {
			waiting.add(instance.registry().acquireAsync("ours", PATIENT));
			awaitInQueue(instance.id());
		}
		first.close();
		Lease lease = waiting.get(0).join();
		CommandStats stats = new CommandStats(this.redis);
		lease.close();
		await().during(Duration.ofMillis(500))
			.atMost(Duration.ofSeconds(2))
			.until(() -> stats.calls("evalsha") <= 2 && stats.calls("publish") <= 1);
		assertThat(stats.calls("evalsha")).isEqualTo(2);
	}

	private void awaitInQueue(String instance) {
		await().until(() -> this.redis.commands().zscore("{lock}queue:ours", instance) != null);
	}

}
