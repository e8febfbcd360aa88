// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.ReleaseMode;
import io.lockstarter.testkit.HoldEvent;
import io.lockstarter.testkit.HoldHistory;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Everything that can happen to connections happens all the time, in any order. Redis
 * loses nothing, so by the holders' own account no two of them hold the key at once.
 */
class ChaosTest {

	private static final String KEY = "chaos";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofMillis(400))
		.withWaitTime(Duration.ofMillis(300));

	private static final int INSTANCES = 3;

	private static final int WORKERS = 2;

	private final long seed = Long.getLong("chaos.seed", System.nanoTime());

	private final Random random = new Random(this.seed);

	private final Duration length = Duration.ofSeconds(Long.getLong("chaos.seconds", 6));

	private final RedisServer redis = RedisServers.start("--appendonly", "yes", "--appendfsync", "always");

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final List<Instance> instances = new ArrayList<>();

	private final HoldHistory history = new HoldHistory(Duration.ofSeconds(10));

	private final AtomicInteger failures = new AtomicInteger();

	private volatile boolean running = true;

	@BeforeEach
	void start() {
		for (int i = 0; i < INSTANCES; i++) {
			FaultProxy proxy = new FaultProxy(this.redis.port());
			this.proxies.add(proxy);
			this.instances
				.add(new Instance(proxy.port(), Instance.settings(Duration.ofMillis(200), Duration.ofMillis(500))));
		}
	}

	@AfterEach
	void close() {
		this.running = false;
		this.instances.forEach(Instance::close);
		this.proxies.forEach(FaultProxy::close);
		this.redis.close();
	}

	@Test
	void holdersNeverOverlapTokensGrowAndNothingIsWedged() throws InterruptedException {
		CountDownLatch ended = new CountDownLatch(INSTANCES * WORKERS);
		for (Instance instance : this.instances) {
			for (int i = 0; i < WORKERS; i++) {
				long workerSeed = this.random.nextLong();
				new Thread(() -> work(instance, new Random(workerSeed), ended), "chaos-worker").start();
			}
		}
		int faults = wreakHavoc();
		this.running = false;
		assertThat(ended.await(20, TimeUnit.SECONDS)).as("all workers ended").isTrue();
		List<String> violations = this.history.violations();
		System.out.printf("Chaos (seed %d): %d faults, %d holds, %d failed attempts%n", this.seed, faults,
				this.history.grants(), this.failures.get());
		assertThat(violations).as("seed " + this.seed).isEmpty();
		assertThat(this.history.grants()).isGreaterThan(20);
		this.instances.forEach(this::assertUsable);
	}

	private void work(Instance instance, Random own, CountDownLatch ended) {
		while (this.running) {
			try {
				LockOptions options = OPTIONS.withRenew(own.nextBoolean())
					.withReleaseMode(own.nextBoolean() ? ReleaseMode.ASYNC : ReleaseMode.CONFIRMED);
				Optional<Lease> lease = instance.registry().tryAcquire(KEY, options);
				lease.ifPresent((held) -> hold(held, own));
			}
			catch (LockStoreException ex) {
				this.failures.incrementAndGet();
				LockSupport.parkNanos(own.nextInt(5_000_000));
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		ended.countDown();
	}

	/**
	 * Hold a lease for a while, longer than its ttl at times, and write down what it
	 * says.
	 */
	private void hold(Lease lease, Random own) {
		long token = lease.fencingToken();
		long begin = System.nanoTime();
		long until = begin + (own.nextInt(20) == 0 ? 600_000_000 : own.nextInt(10_000_000));
		this.history.add(HoldEvent.granted(KEY, "", begin, begin + lease.remaining().toNanos(), token));
		for (long now = begin; now < until; now = System.nanoTime()) {
			long remaining = lease.remaining().toNanos();
			if (remaining > 0) {
				this.history.add(HoldEvent.extended(KEY, "", now, now + remaining, token));
				this.history.add(HoldEvent.toldHeld(KEY, "", now, token));
			}
			else {
				this.history.add(HoldEvent.toldLost(KEY, "", System.nanoTime(), token));
			}
			LockSupport.parkNanos(200_000);
		}
		this.history.add(HoldEvent.ended(KEY, "", System.nanoTime(), token));
		lease.close();
	}

	private int wreakHavoc() {
		int faults = 0;
		for (long end = System.nanoTime() + this.length.toNanos(); System.nanoTime() < end; faults++) {
			FaultProxy proxy = this.proxies.get(this.random.nextInt(INSTANCES));
			fault(proxy, Duration.ofMillis(20 + this.random.nextInt(500)));
			pass(Duration.ofMillis(this.random.nextInt(200)));
		}
		this.proxies.forEach(FaultProxy::heal);
		return faults;
	}

	private void fault(FaultProxy proxy, Duration time) {
		switch (this.random.nextInt(10)) {
			case 0 -> proxy.reset();
			case 1 -> outage(proxy::stall, time, proxy::heal);
			case 2 -> outage(proxy::cut, time, proxy::heal);
			case 3 -> proxy.loseReplyTo(Wire.ACQUIRE, this.random.nextInt(5) > 0);
			case 4 -> proxy.loseReplyTo(Wire.RELEASE, this.random.nextInt(5) > 0);
			case 5 -> proxy.loseReplyTo(Wire.RENEW, this.random.nextInt(5) > 0);
			case 6 -> outage(this.redis::pause, time, this.redis::resume);
			case 7 -> this.redis.restart();
			case 8 -> this.redis.commands().clientPause(time.toMillis());
			default ->
				Raw.ask(this.redis.port(), this.random.nextBoolean() ? "CLIENT KILL TYPE pubsub" : "SCRIPT FLUSH");
		}
	}

	private static void outage(Runnable begin, Duration time, Runnable end) {
		begin.run();
		pass(time);
		end.run();
	}

	private static void pass(Duration time) {
		LockSupport.parkNanos(time.toNanos());
	}

	private void assertUsable(Instance instance) {
		await().atMost(Duration.ofSeconds(10))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> instance.registry().call(KEY, LockOptions.defaults(), (scope) -> true));
	}

}
