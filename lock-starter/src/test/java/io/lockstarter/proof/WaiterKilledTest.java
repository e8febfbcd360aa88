// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A JVM that stands in the queue of a key is killed. That must not delay the others.
 */
@Tag("proof")
class WaiterKilledTest {

	private static final String KEY = "wanted";

	private static final LockOptions PATIENT = LockOptions.defaults().withWaitTime(Duration.ofMinutes(1));

	private static final Duration POLL = Duration.ofMillis(400);

	private static final Duration GRANT = Duration.ofSeconds(2);

	private RedisServer redis;

	private Instance holder;

	private Instance other;

	private JvmProcess victim;

	private String victimId;

	private Lease lease;

	@BeforeEach
	void holdKeyThatVictimWaitsFor() throws InterruptedException {
		this.redis = RedisServers.start();
		this.victim = JvmProcess.start(LockingApplication.class, this.redis.port());
		this.victimId = this.victim.await("ready");
		this.holder = new Instance(this.redis.port());
		this.lease = this.holder.registry().acquire(KEY, PATIENT);
		this.victim.send("acquire " + KEY + " PT30S PT1M");
		awaitInQueue(this.victimId);
	}

	@AfterEach
	void end() {
		this.victim.close();
		this.holder.close();
		if (this.other != null) {
			this.other.close();
		}
		this.redis.close();
	}

	/**
	 * Returns when the server knows that it is gone.
	 */
	private void killVictim() {
		this.victim.kill();
		await().until(() -> !this.redis.commands().pubsubChannels().contains("{lock}signal:" + this.victimId));
	}

	@Test
	void lockStaysObtainableAfterItsOnlyWaiterWasKilled() {
		killVictim();
		assertThat(this.lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(5)).isEqualTo(true);
		assertThat(this.holder.registry().obtain(KEY).tryLock()).isTrue();
		this.holder.registry().obtain(KEY).unlock();
		assertThat(this.redis.commands().exists("{lock}lock:wanted", "{lock}queue:wanted")).isZero();
	}

	@Test
	void releaseSkipsTheKilledWaiterAndWakesTheNext() {
		CompletableFuture<Lease> next = waitBehindVictim(Duration.ofSeconds(30));
		killVictim();
		var released = this.lease.releaseAsync();
		assertThat(next).succeedsWithin(Duration.ofSeconds(10));
		assertThat(released).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		next.join().close();
	}

	/**
	 * A tool that looks at all messages gets those for the dead one, too.
	 */
	@Test
	void whoSubscribesToEverythingDoesNotStandForTheKilledWaiter() {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.redis.port()));
		try (var tool = client.connectPubSub()) {
			tool.sync().psubscribe("*");
			CompletableFuture<Lease> next = waitBehindVictim(Duration.ofSeconds(30));
			killVictim();
			long released = System.nanoTime();
			assertThat(this.lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
			assertThat(this.redis.commands().get("{lock}lock:wanted")).doesNotContain(this.victimId);
			assertThat(next).succeedsWithin(Duration.ofSeconds(10));
			Duration handOver = Duration.ofNanos(System.nanoTime() - released);
			System.out.printf("Killed waiter skipped beside PSUBSCRIBE * after %d ms%n", handOver.toMillis());
			next.join().close();
		}
		finally {
			client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		}
	}

	@Test
	void instanceKilledJustAfterAGrantDelaysOthersByThatAndAPollAtMost() {
		CompletableFuture<Lease> next = waitBehindVictim(POLL);
		pauseVictim();
		this.lease.close();
		long released = System.nanoTime();
		assertThat(this.redis.commands().get("{lock}lock:wanted")).contains(this.victimId);
		this.victim.kill();
		next.join().close();
		assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(GRANT.plus(POLL).plusSeconds(5));
	}

	/**
	 * As if its host had vanished: Redis sees it listen, and nothing comes from it.
	 */
	@Test
	void silentInstanceDelaysOthersByAGrantAndAPollAtMost() {
		CompletableFuture<Lease> next = waitBehindVictim(POLL);
		pauseVictim();
		this.lease.close();
		long released = System.nanoTime();
		assertThat(this.redis.commands().get("{lock}lock:wanted")).contains(this.victimId);
		next.join().close();
		assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(GRANT.plus(POLL).plusSeconds(5));
	}

	@Test
	void instanceKilledJustAfterAGrantDelaysALaterComerByThatAtMost() throws InterruptedException {
		pauseVictim();
		this.lease.close();
		long released = System.nanoTime();
		this.victim.kill();
		this.holder.registry().acquire(KEY, PATIENT).close();
		assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(GRANT.plusSeconds(5));
	}

	/**
	 * Returns when the server has executed whatever the victim sent before: it must not
	 * confirm the grant.
	 */
	private void pauseVictim() {
		this.victim.pause();
		this.redis.commands().ping();
	}

	private CompletableFuture<Lease> waitBehindVictim(Duration poll) {
		this.other = new Instance(this.redis.port(), Instance.settings(Duration.ofSeconds(5), poll));
		CompletableFuture<Lease> next = this.other.registry().acquireAsync(KEY, PATIENT);
		awaitInQueue(this.other.id());
		return next;
	}

	private void awaitInQueue(String instance) {
		await().until(() -> this.redis.commands().zscore("{lock}queue:wanted", instance) != null
				&& this.redis.commands().pubsubChannels().contains("{lock}signal:" + instance));
	}

}
