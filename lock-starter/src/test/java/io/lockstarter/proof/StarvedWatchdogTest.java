// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import io.lockstarter.LeaseInfo;
import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.store.LockStore;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The thread that renews leases is stuck, while Redis and everybody else are well.
 */
class StarvedWatchdogTest {

	private static final String KEY = "stock:42";

	private static final LockOptions BRIEF = LockOptions.defaults().withTtl(Duration.ofMillis(3500));

	private final RedisServer redis = RedisServers.start();

	private final LettuceConnectionFactory factory = this.redis.connectionFactory();

	private final StuckStore store = new StuckStore(new RedisLockStore(this.factory, RedisStoreSettings.defaults()));

	private final Losses losses = new Losses();

	private final DefaultLockRegistry registry = new DefaultLockRegistry("starved", this.store,
			Instance.settings(Duration.ofSeconds(10), Duration.ofSeconds(30)), List.of(this.losses));

	private final Instance other = new Instance(this.redis.port());

	@AfterEach
	void close() {
		this.store.stuck.countDown();
		this.registry.stop();
		this.store.close();
		this.factory.destroy();
		this.other.close();
		this.redis.close();
	}

	@Test
	void lossIsToldAtTheDeadlineAndTheKeyCanBeTriedAgain() throws InterruptedException {
		this.registry.acquire("connect", LockOptions.defaults()).close();
		Lease lease = this.registry.acquire(KEY, BRIEF);
		long deadline = System.nanoTime() + lease.remaining().toNanos();
		this.store.entered.await();
		assertThat(lease.isValid()).isTrue();
		Lease next = this.other.registry().acquire(KEY, LockOptions.defaults());
		assertThat(lease.isValid()).as("held by two").isFalse();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		await().untilAsserted(() -> assertThat(this.losses.told).containsExactly("EXPIRED stock:42"));
		assertThat(Duration.ofNanos(this.losses.at.join() - deadline)).isBetween(Duration.ofMillis(-1),
				Duration.ofSeconds(5));
		assertThat(this.store.stuck.getCount()).as("the watchdog is still stuck").isOne();
		next.close();
		try (Lease again = this.registry.acquire(KEY, BRIEF)) {
			assertThat(again.fencingToken()).isGreaterThan(next.fencingToken());
		}
	}

	/**
	 * Notes what is lost, and when it first was.
	 */
	private static final class Losses implements LockListener {

		private final Queue<String> told = new ConcurrentLinkedQueue<>();

		private final CompletableFuture<Long> at = new CompletableFuture<>();

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			this.at.complete(System.nanoTime());
			this.told.add(cause + " " + lease.key());
		}

	}

	/**
	 * A real store that does not come back to who wants to renew.
	 */
	private record StuckStore(LockStore store, CountDownLatch entered, CountDownLatch stuck) implements LockStore {

		StuckStore(LockStore store) {
			this(store, new CountDownLatch(1), new CountDownLatch(1));
		}

		@Override
		public CompletableFuture<AcquireReply> acquire(Acquire command) {
			return this.store.acquire(command);
		}

		@Override
		public CompletableFuture<Boolean> release(Release command) {
			return this.store.release(command);
		}

		@Override
		public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
			this.entered.countDown();
			try {
				this.stuck.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			return CompletableFuture.failedFuture(new IllegalStateException("Not renewed"));
		}

		@Override
		public CompletableFuture<?> leave(String key, String instance) {
			return this.store.leave(key, instance);
		}

		@Override
		public void listen(String instance, Signals signals) {
			this.store.listen(instance, signals);
		}

		@Override
		public void close() {
			this.store.close();
		}

	}

}
