// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a lock costs Redis, end to end.
 */
class CommandCountTest {

	private final RedisServer redis = RedisServers.start();

	private final Instance instance = new Instance(this.redis.port(), RegistrySettings.defaults());

	@BeforeEach
	void connect() throws InterruptedException {
		this.instance.registry().acquire("connect", LockOptions.defaults()).close();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.redis.close();
	}

	@Test
	void uncontendedCycleIsTwoScriptsOfFourAndThreeCommands() throws InterruptedException {
		// The server is asked every 20 ms whether it is the primary still, which needs
		// two more.
		await().untilAsserted(() -> {
			this.instance.registry().acquire("asked", LockOptions.defaults()).close();
			countCycle();
		});
	}

	private void countCycle() throws InterruptedException {
		CommandStats stats = new CommandStats(this.redis);
		Lease lease = this.instance.registry().acquire("stock:42", LockOptions.defaults());
		Map<String, Long> acquired = stats.calls();
		stats.restart();
		lease.close();
		Map<String, Long> released = stats.calls();
		System.out.println("Commands to acquire: " + acquired + ", to release: " + released);
		assertThat(acquired).containsEntry("evalsha", 1L);
		assertThat(sum(acquired)).isLessThanOrEqualTo(1 + 4);
		assertThat(released).containsEntry("evalsha", 1L);
		assertThat(sum(released)).isLessThanOrEqualTo(1 + 3);
	}

	@Test
	void nestedHoldCostsNothing() {
		var lock = this.instance.registry().obtain("stock:42");
		assertThat(lock.tryLock()).isTrue();
		CommandStats stats = new CommandStats(this.redis);
		assertThat(lock.tryLock()).isTrue();
		lock.unlock();
		assertThat(stats.calls()).isEmpty();
		lock.unlock();
	}

	@Test
	void handOnInsideTheJvmCostsNothing() throws InterruptedException {
		listen();
		Lease lease = this.instance.registry().acquire("stock:42", LockOptions.defaults());
		var next = this.instance.registry().acquireAsync("stock:42", LockOptions.defaults());
		CommandStats stats = new CommandStats(this.redis);
		lease.close();
		assertThat(next).succeedsWithin(Duration.ofSeconds(5));
		assertThat(stats.calls()).isEmpty();
		next.join().close();
	}

	/**
	 * An instance learns of others that wait through its channel, which it opens at its
	 * first contention.
	 */
	private void listen() throws InterruptedException {
		Lease lease = this.instance.registry().acquire("contended", LockOptions.defaults());
		var next = this.instance.registry().acquireAsync("contended", LockOptions.defaults());
		await().until(() -> !this.redis.commands().pubsubChannels().isEmpty());
		lease.close();
		next.join().close();
	}

	private static long sum(Map<String, Long> calls) {
		return calls.values().stream().mapToLong(Long::longValue).sum();
	}

}
