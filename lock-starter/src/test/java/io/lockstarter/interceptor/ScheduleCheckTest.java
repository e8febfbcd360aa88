// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.TimeUnit;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Scheduled;

import io.lockstarter.autoconfigure.LockAutoConfiguration;
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ScheduleCheck}, at the start of an application.
 */
@ExtendWith(OutputCaptureExtension.class)
class ScheduleCheckTest {

	private static final String WARNING = "is scheduled again after";

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(LockAutoConfiguration.class, LockInterceptorAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory", "rate=30s", "nightly=0 0 3 * * *");

	@ParameterizedTest
	@ValueSource(classes = { EveryTenSeconds.class, EveryMinute.class, RateOfText.class, RateOfPlaceholder.class,
			Equal.class, OneOfTwo.class, Composed.class })
	void minHoldThatIsLongerThanThePeriodIsLogged(Class<?> job, CapturedOutput output) {
		this.application.withBean(job).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.toString().lines().filter((line) -> line.contains(job.getName() + ".run(): the method")))
				.singleElement()
				.asString()
				.contains(WARNING, "but minHold keeps its lock for 5 min.");
		});
	}

	@ParameterizedTest
	@ValueSource(classes = { Nightly.class, NotScheduled.class, WithoutMinHold.class, Disabled.class, Weekdays.class,
			Delay.class })
	void minHoldThatFitsIsNotLogged(Class<?> job, CapturedOutput output) {
		this.application.withBean(job).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).doesNotContain(job.getName() + ".run(): the method");
		});
	}

	@Test
	void shortestTimeIsNamed(CapturedOutput output) {
		this.application.withBean(EveryTenSeconds.class)
			.run((context) -> assertThat(output).contains("is scheduled again after 10 s, but"));
	}

	static class EveryTenSeconds {

		@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class EveryMinute {

		@Scheduled(cron = "0 * * * * *")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class RateOfText {

		@Scheduled(fixedRateString = "PT10S")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class RateOfPlaceholder {

		@Scheduled(fixedRateString = "${rate}")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class Equal {

		// The lock is acquired shortly after the run began.
		@Scheduled(cron = "0 */5 * * * *")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	/** The delay begins when the run ends, however long that takes. */
	static class Delay {

		@Scheduled(fixedDelay = 10_000)
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class OneOfTwo {

		@Scheduled(cron = "${nightly}")
		@Scheduled(cron = "0 0/2 * * * *")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class Composed {

		@ScheduledLock(cron = "*/30 * * * * *", key = "job")
		public void run() {
		}

	}

	static class Nightly {

		@Scheduled(cron = "${nightly}")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class Weekdays {

		@Scheduled(cron = "0 0 9-17 * * MON-FRI")
		@DistributedLock(key = "job", waitTime = "0s", minHold = "59m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class NotScheduled {

		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class WithoutMinHold {

		@Scheduled(fixedRate = 10, timeUnit = TimeUnit.SECONDS)
		@DistributedLock(key = "job", waitTime = "0s", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	static class Disabled {

		@Scheduled(cron = Scheduled.CRON_DISABLED)
		@DistributedLock(key = "job", waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
		public void run() {
		}

	}

	@Scheduled
	@DistributedLock(waitTime = "0s", minHold = "5m", onBusy = OnBusy.SKIP)
	@Retention(RetentionPolicy.RUNTIME)
	@interface ScheduledLock {

		@AliasFor(annotation = Scheduled.class)
		String cron();

		@AliasFor(annotation = DistributedLock.class)
		String key();

	}

}
