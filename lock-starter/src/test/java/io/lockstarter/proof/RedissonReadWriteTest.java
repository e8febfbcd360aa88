// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the read/write lock of Redisson 4.7.0 does where ours differs, so that what we say
 * of it is true, and what it does well by now is not held against it.
 */
@Tag("proof")
class RedissonReadWriteTest {

	private static final String KEY = "catalog";

	private final RedisServer redis = RedisServers.start();

	private final RedissonClient here = client();

	private final RedissonClient there = client();

	private final ExecutorService first = Executors.newSingleThreadExecutor();

	private final ExecutorService second = Executors.newSingleThreadExecutor();

	private final ExecutorService third = Executors.newSingleThreadExecutor();

	private final RReadWriteLock lock = this.here.getReadWriteLock(KEY);

	private final RReadWriteLock elsewhere = this.there.getReadWriteLock(KEY);

	private RedissonClient client() {
		Config config = new Config();
		config.useSingleServer().setAddress("redis://127.0.0.1:" + this.redis.port());
		return Redisson.create(config);
	}

	@AfterEach
	void close() {
		this.first.shutdownNow();
		this.second.shutdownNow();
		this.third.shutdownNow();
		this.here.shutdown();
		this.there.shutdown();
		this.redis.close();
	}

	@Test
	void aReaderThatWantsToWriteWaitsForItself() throws Exception {
		run(this.first, () -> this.lock.readLock().tryLock());
		assertThat(run(this.first, () -> this.lock.writeLock().tryLock(500, TimeUnit.MILLISECONDS))).isFalse();
	}

	@Test
	void aReaderPassesAWriterWhoWaits() throws Exception {
		run(this.first, () -> this.lock.readLock().tryLock());
		Future<Boolean> writer = this.second.submit(() -> this.elsewhere.writeLock().tryLock(20, TimeUnit.SECONDS));
		awaitWaiter();
		assertThat(run(this.third, () -> this.lock.readLock().tryLock())).isTrue();
		assertThat(writer.isDone()).isFalse();
	}

	@Test
	void aDowngradeWakesNoReader() throws Exception {
		run(this.first, () -> this.lock.writeLock().tryLock());
		Future<Boolean> reader = this.second.submit(() -> this.elsewhere.readLock().tryLock(3, TimeUnit.SECONDS));
		awaitWaiter();
		run(this.first, () -> {
			boolean reads = this.lock.readLock().tryLock();
			this.lock.writeLock().unlock();
			return reads;
		});
		assertThat(reader.get(20, TimeUnit.SECONDS)).isFalse();
	}

	@Test
	void aNestedWriteLockAddsItsTtl() throws Exception {
		run(this.first, () -> this.lock.writeLock().tryLock(0, 10, TimeUnit.SECONDS));
		run(this.first, () -> this.lock.writeLock().tryLock(0, 10, TimeUnit.SECONDS));
		assertThat(this.lock.writeLock().remainTimeToLive()).isGreaterThan(15_000);
	}

	@Test
	void aWriterKeepsItsLockWhenItEndsToRead() throws Exception {
		run(this.first, () -> this.lock.writeLock().tryLock());
		run(this.first, () -> {
			boolean reads = this.lock.readLock().tryLock();
			this.lock.readLock().unlock();
			return reads;
		});
		assertThat(run(this.second, () -> this.elsewhere.writeLock().tryLock())).isFalse();
	}

	@Test
	void aReaderWithAShortTtlLeavesALongOneAlone() throws Exception {
		run(this.first, () -> this.lock.readLock().tryLock(0, 20, TimeUnit.SECONDS));
		run(this.second, () -> this.elsewhere.readLock().tryLock(0, 300, TimeUnit.MILLISECONDS));
		await().during(Duration.ofSeconds(1)).until(() -> !run(this.third, () -> this.elsewhere.writeLock().tryLock()));
	}

	private boolean run(ExecutorService thread, Callable<Boolean> call) throws Exception {
		return thread.submit(call).get(20, TimeUnit.SECONDS);
	}

	private void awaitWaiter() {
		await().until(() -> !this.redis.commands().pubsubChannels("*" + KEY + "*").isEmpty());
	}

}
