// SPDX-License-Identifier: Apache-2.0

package io.lockstarter.observe;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.LockMonitor.Reason;
import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.redis.RedisLockStore;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.testkit.RedisServers;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.CountingMode;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Meters of locks in a real Redis.
 */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class LockMetricsTest {

	private static final LockOptions STOCK = LockOptions.defaults().withName("stock");

	// A lock is handed on although the machine stalls in between.
	private static final RegistrySettings SETTINGS = RegistrySettings.defaults()
		.withTtl(Duration.ofMinutes(1))
		.withWaitTime(Duration.ofSeconds(30))
		.withCommandTimeout(Duration.ofSeconds(20))
		.withPollInterval(Duration.ofSeconds(50))
		.withSlice(Duration.ofSeconds(50));

	private final String prefix = "metrics:" + System.nanoTime() + ":";

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final LockMetrics metrics = new LockMetrics(this.meters);

	private final LettuceConnectionFactory factory = RedisServers.shared().connectionFactory();

	private final RedisLockStore store = new RedisLockStore(this.factory, RedisStoreSettings.defaults());

	private final DefaultLockRegistry locks = registry("first");

	@AfterEach
	void stop() {
		this.locks.stop();
		this.store.close();
		this.factory.destroy();
	}

	@Test
	void locksAreCountedByNameOutcomeAndSource() throws Exception {
		this.metrics.bindTo(this.locks);
		Lease first = this.locks.acquire(key("1"), STOCK);
		CompletableFuture<Lease> second = this.locks.acquireAsync(key("1"), STOCK);
		await().until(() -> gauge("distributed.lock.waiting") == 1);
		assertThat(gauge("distributed.lock.active")).isEqualTo(1);
		assertThat(gauge("distributed.lock.connections")).isGreaterThanOrEqualTo(1);
		assertThat(this.locks.tryAcquire(key("1"), STOCK.withWaitTime(Duration.ZERO))).isEmpty();
		first.close();
		second.join().close();
		assertThat(acquire("acquired", "store").count()).isOne();
		assertThat(acquire("acquired", "local").count()).isOne();
		assertThat(acquire("busy", "none").count()).isOne();
		assertThat(acquire("acquired", "store").totalTime(TimeUnit.NANOSECONDS)).isPositive();
		assertThat(timer("distributed.lock.held").count()).isEqualTo(2);
		assertThat(this.meters.get("distributed.lock.handons").tag("lock", "stock").counter().count()).isEqualTo(1);
		assertThat(gauge("distributed.lock.waiting")).isZero();
		assertThat(gauge("distributed.lock.active")).isZero();
	}

	@Test
	void busyKeyOfAnotherInstanceIsCounted() throws Exception {
		DefaultLockRegistry other = registry("second");
		Lease held = other.acquire(key("2"), STOCK);
		Optional<Lease> none = this.locks.tryAcquire(key("2"), STOCK.withName("mine").withWaitTime(Duration.ZERO));
		assertThat(none).isEmpty();
		held.close();
		other.stop();
		assertThat(this.meters.get("distributed.lock.acquire").tags("lock", "mine", "outcome", "busy").timer().count())
			.isOne();
	}

	@Test
	void renewalsAreCountedWithTheirMargin() throws Exception {
		try (Lease lease = this.locks.acquire(key("3"), STOCK.withTtl(Duration.ofSeconds(3)))) {
			var margin = this.meters.get("distributed.lock.renewal.margin").tag("lock", "stock").summary();
			await().untilAsserted(() -> assertThat(margin.count()).isPositive());
			assertThat(margin.max()).isBetween(1.0, 67.0);
			assertThat(this.meters.get("distributed.lock.renewals")
				.tag("lock", "stock")
				.counters()
				.stream()
				.mapToDouble((counter) -> counter.count())
				.sum()).isGreaterThanOrEqualTo(1);
			assertThat(lease.isValid()).isTrue();
		}
	}

	@Test
	void lossIsCountedByItsCause() throws Exception {
		this.locks.acquire(key("4"), STOCK.withTtl(Duration.ofMillis(20)).withRenew(false));
		await().untilAsserted(
				() -> assertThat(this.meters.get("distributed.lock.losses").tag("cause", "expired").counter().count())
					.isEqualTo(1));
		assertThat(timer("distributed.lock.held").count()).isZero();
	}

	@Test
	void handOnsAreCountedInTheStepInWhichTheyHappen() {
		MockClock clock = new MockClock();
		SimpleMeterRegistry steps = new SimpleMeterRegistry(new StepConfig(), clock);
		LockMetrics stepwise = new LockMetrics(steps);
		Lease lease = mock();
		given(lease.name()).willReturn("stock");
		stepwise.acquired(lease, 1, true);
		stepwise.acquired(lease, 1, true);
		stepwise.acquired(lease, 1, false);
		clock.add(StepConfig.STEP);
		assertThat(steps.get("distributed.lock.handons").counter().count()).isEqualTo(2);
		clock.add(StepConfig.STEP);
		assertThat(steps.get("distributed.lock.handons").counter().count()).isZero();
	}

	@Test
	void everyReasonAndEveryCauseHasItsMeter() {
		Lease lease = mock();
		given(lease.name()).willReturn("all");
		for (Reason reason : Reason.values()) {
			this.metrics.notAcquired("k", "all", reason, 1, List.of());
		}
		for (LossCause cause : LossCause.values()) {
			this.metrics.lost(lease, cause);
		}
		this.metrics.releaseUnconfirmed(lease);
		this.metrics.renewed(lease, -5, 10, true);
		assertThat(this.meters.get("distributed.lock.acquire").tag("lock", "all").timers().stream().map(Timer::count))
			.containsExactlyInAnyOrder(0L, 0L, 1L, 1L, 1L);
		assertThat(this.meters.get("distributed.lock.losses").tag("lock", "all").counters())
			.hasSize(LossCause.values().length)
			.allMatch((counter) -> counter.count() == 1);
		assertThat(this.meters.get("distributed.lock.releases.unconfirmed").counter().count()).isEqualTo(1);
		assertThat(this.meters.get("distributed.lock.renewals").tag("late", "true").counter().count()).isEqualTo(1);
		assertThat(this.meters.get("distributed.lock.renewal.margin").summary().max()).isZero();
	}

	@Test
	void namesThatAreKeysByMistakeShareMetersAfterAWhile(CapturedOutput output) {
		for (int i = 0; i < LockMetrics.MAX_NAMES + 50; i++) {
			this.metrics.notAcquired("k", "stock:" + i, Reason.BUSY, 1, List.of());
		}
		assertThat(
				this.meters.get("distributed.lock.acquire").tags("lock", "others", "outcome", "busy").timer().count())
			.isEqualTo(50);
		assertThat(output.toString().lines().filter((line) -> line.contains("share the meters of 'others'")))
			.hasSize(1);
	}

	private DefaultLockRegistry registry(String instance) {
		return new DefaultLockRegistry(instance + System.nanoTime(), this.store, SETTINGS, List.of(),
				List.of(this.metrics));
	}

	private String key(String key) {
		return this.prefix + key;
	}

	private Timer acquire(String outcome, String source) {
		return this.meters.get("distributed.lock.acquire")
			.tags("lock", "stock", "outcome", outcome, "source", source)
			.timer();
	}

	private Timer timer(String name) {
		return this.meters.get(name).tag("lock", "stock").timer();
	}

	private double gauge(String name) {
		return this.meters.get(name).gauge().value();
	}

	private static final class StepConfig implements SimpleConfig {

		private static final Duration STEP = Duration.ofMinutes(1);

		@Override
		public @Nullable String get(String key) {
			return null;
		}

		@Override
		public CountingMode mode() {
			return CountingMode.STEP;
		}

		@Override
		public Duration step() {
			return STEP;
		}

	}

}
