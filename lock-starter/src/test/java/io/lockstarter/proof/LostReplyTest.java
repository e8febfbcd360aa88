// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockStoreException;
import io.lockstarter.testkit.RedisServer;
import io.lockstarter.testkit.RedisServers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The network between an instance and Redis fails, in the worst moments.
 */
@Tag("proof")
class LostReplyTest {

	private static final String KEY = "stock:42";

	private static final String LOCK = "{lock}lock:stock:42";

	private static final LockOptions DEFAULTS = LockOptions.defaults();

	private static final LockOptions SHORT = DEFAULTS.withTtl(Duration.ofSeconds(1));

	// A stall of two seconds is no loss, even if one renewal has to be repeated.
	private static final LockOptions RENEWED = DEFAULTS.withTtl(Duration.ofSeconds(4));

	private final RedisServer redis = RedisServers.start();

	private final FaultProxy proxy = new FaultProxy(this.redis.port());

	private final Instance instance = new Instance(this.proxy.port(),
			Instance.settings(Duration.ofSeconds(3), Duration.ofSeconds(30)));

	@BeforeEach
	void connect() {
		await().ignoreExceptions().until(() -> this.instance.registry().call("connect", DEFAULTS, (scope) -> true));
		this.instance.events().clear();
	}

	@AfterEach
	void close() {
		this.instance.close();
		this.proxy.close();
		this.redis.close();
	}

	@Test
	void acquireWhoseReplyIsLostInSilenceIsUnknownAndSettled() {
		this.proxy.loseReplyTo(Wire.ACQUIRE, false);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.instance.registry().tryAcquire(KEY, DEFAULTS.withWaitTime(Duration.ZERO)))
			.satisfies((ex) -> assertThat(ex.isOutcomeUnknown()).isTrue());
		assertThat(this.proxy.isReplyLost()).isTrue();
		await().atMost(Duration.ofSeconds(15)).until(() -> this.redis.commands().exists(LOCK) == 0);
	}

	@Test
	void acquireWhoseReplyIsLostWithTheConnectionIsRepeatedAndHoldsOnce() throws InterruptedException {
		this.proxy.loseReplyTo(Wire.ACQUIRE, true);
		Optional<Lease> lease = Optional.empty();
		try {
			lease = this.instance.registry().tryAcquire(KEY, DEFAULTS.withWaitTime(Duration.ofSeconds(10)));
		}
		catch (LockStoreException ex) {
			assertThat(ex.isOutcomeUnknown()).isTrue();
		}
		assertThat(this.proxy.isReplyLost()).isTrue();
		lease.ifPresent((held) -> assertThat(held.isValid()).isTrue());
		lease.ifPresent(Lease::close);
		await().atMost(Duration.ofSeconds(15)).until(() -> this.redis.commands().exists(LOCK) == 0);
		assertUsable();
	}

	@Test
	void releaseWhoseReplyIsLostWithTheConnectionIsNoLoss() throws InterruptedException {
		Lease lease = this.instance.registry().acquire(KEY, DEFAULTS);
		this.proxy.loseReplyTo(Wire.RELEASE, true);
		lease.close();
		assertThat(this.proxy.isReplyLost()).isTrue();
		await().atMost(Duration.ofSeconds(15)).until(() -> this.redis.commands().exists(LOCK) == 0);
		assertThat(this.instance.events()).allMatch((event) -> event.startsWith("unconfirmed"));
		assertUsable();
	}

	@Test
	void renewalWhoseReplyIsLostWithTheConnectionIsRepeated() throws InterruptedException {
		Lease lease = this.instance.registry().acquire(KEY, RENEWED);
		this.proxy.loseReplyTo(Wire.RENEW, true);
		await().until(this.proxy::isReplyLost);
		await().during(RENEWED.ttl()).until(lease::isValid);
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.instance.events()).isEmpty();
	}

	@Test
	void connectionsThatAreResetAgainAndAgainLoseNoLease() throws InterruptedException {
		Lease lease = this.instance.registry().acquire(KEY, RENEWED);
		for (int i = 0; i < 10; i++) {
			this.proxy.reset();
			await().during(Duration.ofMillis(450)).until(lease::isValid);
		}
		assertThat(lease.releaseAsync()).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
		assertThat(this.instance.events()).isEmpty();
	}

	/**
	 * Whoever is on the other side of the partition can have the key, and not before.
	 */
	@Test
	void partitionLosesTheLeaseAtItsDeadlineAndHeals() throws InterruptedException {
		Lease lease = this.instance.registry().acquire(KEY, SHORT);
		CompletableFuture<Long> lost = new CompletableFuture<>();
		lease.onLost((cause) -> lost.complete(System.nanoTime()));
		this.proxy.stall();
		long deadline = System.nanoTime() + lease.remaining().toNanos();
		try (Instance other = new Instance(this.redis.port()); Lease next = other.registry().acquire(KEY, DEFAULTS)) {
			assertThat(lease.isValid()).as("held on both sides").isFalse();
			assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		}
		assertThat(Duration.ofNanos(lost.join() - deadline)).isBetween(Duration.ofMillis(-1), Duration.ofSeconds(5));
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("lost EXPIRED stock:42"));
		lease.close();
		this.proxy.heal();
		await().atMost(Duration.ofSeconds(15)).until(() -> this.redis.commands().exists(LOCK) == 0);
		assertUsable();
	}

	@Test
	void releaseThatFailsFreesTheKeyLocallyAndIsRepeatedOnceTheNetworkIsBack() throws InterruptedException {
		Lease lease = this.instance.registry().acquire(KEY, DEFAULTS);
		this.proxy.cut();
		lease.close();
		assertThat(lease.isValid()).isFalse();
		await().untilAsserted(() -> assertThat(this.instance.events()).containsExactly("unconfirmed stock:42"));
		assertThat(this.redis.commands().exists(LOCK)).isOne();
		this.proxy.heal();
		await().atMost(Duration.ofSeconds(15)).until(() -> this.redis.commands().exists(LOCK) == 0);
		assertUsable();
	}

	@Test
	void cutConnectionsFailQuicklyAndRecoverSoon() {
		this.proxy.cut();
		for (int i = 0; i < 3; i++) {
			long start = System.nanoTime();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.instance.registry().acquire(KEY, DEFAULTS.withWaitTime(Duration.ofMillis(100))));
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
		}
		this.proxy.heal();
		assertUsable();
	}

	/**
	 * The same JVM can have the same key again, and soon.
	 */
	private void assertUsable() {
		await().atMost(Duration.ofSeconds(15))
			.ignoreExceptionsInstanceOf(LockStoreException.class)
			.until(() -> this.instance.registry()
				.call(KEY, DEFAULTS, (scope) -> this.redis.commands().exists(LOCK) == 1));
		assertThat(this.redis.commands().exists(LOCK)).isZero();
	}

}
