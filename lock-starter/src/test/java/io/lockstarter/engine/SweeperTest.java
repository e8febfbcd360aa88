// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongUnaryOperator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lockstarter.platform.Ticker;
import io.lockstarter.platform.Timer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Sweeper}.
 */
class SweeperTest {

	private static final long PAUSE = millis(2);

	private final ManualTiming time = new ManualTiming();

	private final List<Long> sweeps = new ArrayList<>();

	@Test
	void sweepsWhenTheEarliestIsDue() {
		Sweeper sweeper = sweeper((now) -> Ticker.NEVER);
		sweeper.noLaterThan(millis(20));
		sweeper.noLaterThan(millis(10));
		sweeper.noLaterThan(millis(30));
		this.time.tick(Duration.ofMillis(9));
		assertThat(this.sweeps).isEmpty();
		this.time.tick(Duration.ofMillis(100));
		assertThat(this.sweeps).containsExactly(millis(10));
		assertThat(this.time.scheduled()).isZero();
	}

	@Test
	void sweepsAgainWhenTheSweepSaysSo() {
		Sweeper sweeper = sweeper((now) -> (now < millis(30)) ? now + millis(10) : Ticker.NEVER);
		sweeper.noLaterThan(millis(10));
		this.time.tick(Duration.ofMillis(100));
		assertThat(this.sweeps).containsExactly(millis(10), millis(20), millis(30));
	}

	@Test
	void sweepThatFailsIsRepeatedSoonAndTheScheduleGoesOn() {
		Sweeper sweeper = sweeper((now) -> {
			if (this.sweeps.size() <= 2) {
				throw new IllegalStateException("planted");
			}
			return (this.sweeps.size() < 4) ? now + millis(500) : Ticker.NEVER;
		});
		quietly(() -> {
			sweeper.noLaterThan(millis(10));
			this.time.tick(Duration.ofSeconds(5));
		});
		assertThat(this.sweeps).containsExactly(millis(10), millis(110), millis(210), millis(710));
	}

	@Test
	void whatCouldNotBeScheduledIsSweptWithWhatIsDueNext() {
		AtomicBoolean refusing = new AtomicBoolean();
		Timer timer = this.time.timing().deadlines();
		Sweeper sweeper = sweeper((now) -> Ticker.NEVER, new Timer() {

			@Override
			public long nanoTime() {
				return timer.nanoTime();
			}

			@Override
			public Runnable repeat(Runnable task, long pause) {
				throw new UnsupportedOperationException();
			}

			@Override
			public Runnable schedule(Runnable task, long delay) {
				if (refusing.get()) {
					throw new RejectedExecutionException("planted");
				}
				return timer.schedule(task, delay);
			}

		});
		sweeper.noLaterThan(millis(20));
		refusing.set(true);
		quietly(() -> sweeper.noLaterThan(millis(10)));
		refusing.set(false);
		sweeper.noLaterThan(millis(30));
		this.time.tick(Duration.ofMillis(100));
		assertThat(this.sweeps).containsExactly(millis(30));
	}

	private Sweeper sweeper(LongUnaryOperator sweep) {
		return sweeper(sweep, this.time.timing().deadlines());
	}

	private Sweeper sweeper(LongUnaryOperator sweep, Timer timer) {
		return new Sweeper(timer, (now) -> {
			this.sweeps.add(now);
			return sweep.applyAsLong(now);
		}, PAUSE);
	}

	private static void quietly(Runnable action) {
		Logger logger = (Logger) LoggerFactory.getLogger(Sweeper.class);
		logger.setLevel(Level.OFF);
		try {
			action.run();
		}
		finally {
			logger.setLevel(null);
		}
	}

	private static long millis(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

}
