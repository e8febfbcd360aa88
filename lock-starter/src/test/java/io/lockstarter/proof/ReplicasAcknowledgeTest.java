// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.Optional;

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
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What it adds that replicas have to acknowledge acquisitions, what it does not, and what
 * {@code min-replicas-to-write} adds to it. The link between the primary and its replica
 * is one that can be cut.
 */
@Tag("proof")
class ReplicasAcknowledgeTest {

	private static final String KEY = "stock:42";

	private static final LockOptions OPTIONS = LockOptions.defaults()
		.withTtl(Duration.ofSeconds(3))
		.withWaitTime(Duration.ofSeconds(20));

	private static final LockOptions ONCE = OPTIONS.withWaitTime(Duration.ZERO);

	private static final Duration LIMIT = Duration.ofMillis(500);

	private final RedisServer primary = RedisServers.start("--repl-diskless-sync-delay", "0");

	private final FaultProxy replication = new FaultProxy(this.primary.port());

	private final RedisServer replica = RedisServers.start("--replicaof", "127.0.0.1",
			String.valueOf(this.replication.port()));

	private final Instance holder = Instance.acknowledged(this.primary.port(),
			Instance.settings(Duration.ofSeconds(2), Duration.ofSeconds(1)), LIMIT);

	@BeforeEach
	void connect() {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.primary.commands().info("replication").contains("state=online"));
		await().atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> this.holder.registry().call("connect", ONCE, (scope) -> true));
	}

	@AfterEach
	void close() {
		this.holder.close();
		this.replica.close();
		this.replication.close();
		this.primary.close();
	}

	/**
	 * Without acknowledgement it is granted, and lost:
	 * {@code FailOverTest.replicaThatNeverHeardOfTheLockIsPromotedAndTheLossReportedAndFenced}.
	 */
	@Test
	void lockThatTheReplicaNeverHeardOfIsNotGranted() throws InterruptedException {
		this.replication.stall();
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.holder.registry().tryAcquire(KEY, ONCE))
			.withMessageContaining("0 of the required 1 replicas acknowledged it within 500 ms, so it was given back")
			.satisfies((ex) -> assertThat(ex.isTransient()).isTrue())
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isFalse());
		// An attempt that nobody waits for any more may be under way.
		await().atMost(Duration.ofSeconds(10)).until(() -> this.primary.commands().exists("{lock}lock:" + KEY) == 0);
		this.primary.kill();
		this.replica.commands().replicaofNoOne();
		try (Instance other = new Instance(this.replica.port())) {
			other.registry().acquire(KEY, OPTIONS).close();
		}
	}

	@Test
	void whoeverWaitsGetsTheLockWhenTheReplicaIsBack() throws InterruptedException {
		this.replication.stall();
		var waiting = this.holder.registry().acquireAsync(KEY, OPTIONS);
		// at least one attempt is over
		await().atMost(Duration.ofSeconds(10)).until(() -> calls("wait") >= 3);
		assertThat(waiting).isNotDone();
		this.replication.reset();
		this.replication.heal();
		assertThat(waiting).succeedsWithin(OPTIONS.waitTime());
		assertThat(this.replica.commands().exists("{lock}lock:" + KEY)).isOne();
		waiting.join().close();
	}

	/**
	 * Each attempt stops the connection of acquisitions for as long as the replica has to
	 * answer.
	 */
	@Test
	void leasesAreRenewedWhileOthersWaitForAReplicaThatHangs() throws InterruptedException {
		Lease lease = this.holder.registry().acquire(KEY, OPTIONS);
		this.replica.pause();
		long until = System.nanoTime() + 2 * OPTIONS.ttl().toNanos();
		int refused = 0;
		while (System.nanoTime() < until) {
			try {
				this.holder.registry().acquire("other" + refused, ONCE).close();
			}
			catch (LockStoreException ex) {
				refused++;
			}
		}
		assertThat(refused).isGreaterThan(2);
		assertThat(lease.isValid()).isTrue();
		assertThat(this.holder.events()).isEmpty();
		this.replica.resume();
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
	}

	@Test
	void handOnInsideTheJvmAsksNoReplica() throws InterruptedException {
		listen();
		Lease lease = this.holder.registry().acquire(KEY, OPTIONS);
		var next = this.holder.registry().acquireAsync(KEY, OPTIONS);
		int before = calls("wait");
		this.replica.pause();
		lease.close();
		assertThat(next).succeedsWithin(Duration.ofSeconds(10));
		assertThat(calls("wait")).isEqualTo(before);
		this.replica.resume();
		next.join().close();
	}

	/**
	 * The window that remains: renewals are not acknowledged.
	 */
	@Test
	void primaryThatIsCutOffGrantsNothingButGoesOnRenewing() throws InterruptedException {
		Lease held = this.holder.registry().acquire(KEY, OPTIONS);
		this.replication.stall();
		this.replica.commands().replicaofNoOne();
		try (Instance elsewhere = new Instance(this.replica.port());
				Instance careless = new Instance(this.primary.port())) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.holder.registry().tryAcquire("new", ONCE))
				.withMessageContaining("0 of the required 1");
			assertThat(careless.registry().tryAcquire("careless", ONCE)).as("asks for no acknowledgement").isPresent();
			Lease second = elsewhere.registry().acquire(KEY, OPTIONS);
			assertThat(held.isValid()).as("as far as the old primary knows").isTrue();
			assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
			second.close();
		}
	}

	/**
	 * The other window that remains: the replica that acknowledged need not be the one
	 * that is promoted.
	 */
	@Test
	void lockThatOneReplicaAcknowledgedIsGrantedAgainByTheOtherThatIsPromoted() throws InterruptedException {
		try (RedisServer acknowledging = RedisServers.start("--replicaof", "127.0.0.1",
				String.valueOf(this.primary.port()))) {
			await().atMost(Duration.ofSeconds(30))
				.until(() -> acknowledging.commands().info("replication").contains("master_link_status:up"));
			this.replication.stall();
			Lease held = this.holder.registry().acquire(KEY, OPTIONS);
			assertThat(acknowledging.commands().exists("{lock}lock:" + KEY)).isEqualTo(1);
			this.replica.commands().replicaofNoOne();
			try (Instance elsewhere = new Instance(this.replica.port())) {
				Lease second = elsewhere.registry().acquire(KEY, OPTIONS);
				assertThat(held.isValid()).as("as far as the old primary knows").isTrue();
				assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
				second.close();
			}
			held.close();
		}
	}

	@Test
	void primaryThatNeedsItsReplicaStopsRenewingSoonAfterItIsCutOff() throws InterruptedException {
		this.primary.commands().configSet("min-replicas-to-write", "1");
		this.primary.commands().configSet("min-replicas-max-lag", "1");
		Lease held = acquireSoon();
		this.replication.stall();
		this.replica.commands().replicaofNoOne();
		try (Instance careless = new Instance(this.primary.port());
				Instance elsewhere = new Instance(this.replica.port())) {
			await().atMost(Duration.ofSeconds(20))
				.untilAsserted(() -> assertThat(this.holder.events()).containsExactly("lost EXPIRED " + KEY));
			assertThat(held.isValid()).isFalse();
			assertThatExceptionOfType(LockException.class).isThrownBy(() -> careless.registry().tryAcquire("new", ONCE))
				.withMessageContaining("NOREPLICAS");
			Lease second = elsewhere.registry().acquire(KEY, OPTIONS);
			assertThat(second.fencingToken()).isGreaterThan(held.fencingToken());
			second.close();
		}
	}

	/**
	 * An instance hands on inside once it would hear of others.
	 */
	private void listen() throws InterruptedException {
		Lease lease = this.holder.registry().acquire("contended", OPTIONS);
		var next = this.holder.registry().acquireAsync("contended", OPTIONS);
		await().until(() -> !this.primary.commands().pubsubChannels().isEmpty());
		lease.close();
		next.join().close();
	}

	/**
	 * The lag of a replica is counted in seconds, so that one of a second is exceeded now
	 * and then.
	 */
	private Lease acquireSoon() {
		return await().atMost(Duration.ofSeconds(20))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> this.holder.registry().tryAcquire(KEY, ONCE), Optional::isPresent)
			.orElseThrow();
	}

	private int calls(String command) {
		return this.primary.commands()
			.info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_" + command + ":calls="))
			.mapToInt((line) -> Integer.parseInt(line.replaceAll(".*:calls=(\\d+).*", "$1")))
			.sum();
	}

}
