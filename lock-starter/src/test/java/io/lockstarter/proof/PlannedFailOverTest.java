// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Another server takes over at the address that clients know: a name, a virtual address,
 * a proxy. The old one goes on living, and so do the connections to it.
 */
@Tag("proof")
class PlannedFailOverTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(6))
		.withWaitTime(Duration.ofSeconds(2));

	private final RedisServer first = RedisServers.start();

	private final RedisServer second = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.first.port());

	private final Instance instance = new Instance(this.proxy.port(),
			Instance.settings(Duration.ofSeconds(1), Duration.ofSeconds(1)));

	@BeforeEach
	void connect() throws InterruptedException {
		this.second.commands().replicaof("127.0.0.1", this.first.port());
		await().atMost(Duration.ofSeconds(30)).until(() -> isOnline(this.first));
		this.instance.registry().acquire(KEY, OPTIONS.withWaitTime(Duration.ofSeconds(30))).close();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.proxy.close();
		this.second.close();
		this.first.close();
	}

	@Test
	void connectionToTheDemotedServerIsReplacedWithinASecond() throws InterruptedException {
		Lease held = this.instance.registry().acquire("held", OPTIONS);
		assertThat(Raw.ask(this.first.port(), "FAILOVER TO 127.0.0.1 %d TIMEOUT 5000".formatted(this.second.port())))
			.isEqualTo("+OK");
		await().until(() -> isPrimary(this.second) && !isPrimary(this.first));
		this.proxy.lead(this.second.port());
		Duration recovery = recovery();
		System.out.printf("Demoted behind a proxy: lock again after %d ms%n", recovery.toMillis());
		assertThat(recovery).isLessThan(Duration.ofSeconds(5));
		assertThat(this.second.commands().get("{lock}lock:held")).as("came over").isNotNull();
		await().during(OPTIONS.ttl().plusSeconds(1)).atMost(Duration.ofSeconds(10)).until(held::isValid);
		assertThat(held.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		assertThat(this.instance.events()).isEmpty();
	}

	/**
	 * While the address leads to the demoted server, too, new connections are of no use,
	 * and must not become many.
	 */
	@Test
	void addressThatMovesLaterIsFoundWithoutAStormOfAttempts() throws InterruptedException {
		this.second.commands().replicaofNoOne();
		this.first.commands().replicaof("127.0.0.1", this.second.port());
		long before = connections(this.first);
		for (long begin = System.nanoTime(); System.nanoTime() - begin < Duration.ofSeconds(2).toNanos();) {
			try {
				this.instance.registry().acquire(KEY, OPTIONS).close();
			}
			catch (LockException ex) {
				// nobody can write here
			}
		}
		assertThat(connections(this.first) - before).as("connections in two seconds").isLessThan(50);
		this.proxy.lead(this.second.port());
		assertThat(recovery()).isLessThan(Duration.ofSeconds(5));
	}

	private Duration recovery() {
		long begin = System.nanoTime();
		await().atMost(Duration.ofSeconds(15))
			.pollInterval(Duration.ofMillis(10))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> this.instance.registry().call(KEY, OPTIONS, (scope) -> true));
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	private static long connections(RedisServer redis) {
		return redis.commands()
			.info("stats")
			.lines()
			.filter((line) -> line.startsWith("total_connections_received:"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
			.sum();
	}

	private static boolean isOnline(RedisServer primary) {
		return primary.commands().info("replication").contains("state=online");
	}

	private static boolean isPrimary(RedisServer redis) {
		return redis.commands().info("replication").contains("role:master");
	}

}
