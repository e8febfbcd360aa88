// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.time.Duration;
import java.time.LocalDateTime;
import java.util.concurrent.TimeUnit;

import io.lockstarter.text.DurationText;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;

/**
 * Warns of a scheduled method whose lock stays until the next run or longer.
 */
final class ScheduleCheck {

	private static final Log logger = LogFactory.getLog(ScheduleCheck.class);

	/**
	 * A Monday, the first of a month and of a year: gaps of any expression are near.
	 */
	private static final LocalDateTime START = LocalDateTime.of(2024, 1, 1, 0, 0);

	private static final int RUNS = 50;

	private ScheduleCheck() {
	}

	static void check(AnnotatedMethod subject, Duration minHold, LockServices services) {
		MergedAnnotations.from(subject.method(), SearchStrategy.TYPE_HIERARCHY)
			.stream(Scheduled.class)
			.map((scheduled) -> period(scheduled, services))
			.filter((period) -> !period.isZero() && period.compareTo(minHold) <= 0)
			.min(Duration::compareTo)
			.ifPresent((period) -> logger.warn(
					("@DistributedLock on %s: the method is scheduled again after %s, but minHold keeps its lock for %s. "
							+ "Runs in between do not get the lock. Make minHold shorter than the time between two runs")
						.formatted(subject, DurationText.of(period), DurationText.of(minHold))));
	}

	/**
	 * Return the shortest time between two runs; zero if there is none, or if it depends
	 * on how long a run takes. Mistakes are up to Spring, which reports them.
	 */
	private static Duration period(MergedAnnotation<Scheduled> scheduled, LockServices services) {
		TimeUnit unit = scheduled.getEnum("timeUnit", TimeUnit.class);
		try {
			String cron = services.resolvePlaceholders(scheduled.getString("cron")).trim();
			if (CronExpression.isValidExpression(cron)) {
				return shortestGap(CronExpression.parse(cron));
			}
			long rate = scheduled.getLong("fixedRate");
			if (rate > 0) {
				return Duration.of(rate, unit.toChronoUnit());
			}
			String text = services.resolvePlaceholders(scheduled.getString("fixedRateString")).trim();
			if (!text.isEmpty()) {
				return DurationStyle.detectAndParse(text, unit.toChronoUnit());
			}
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			logger.debug("The schedule of a method cannot be read", ex);
		}
		return Duration.ZERO;
	}

	private static Duration shortestGap(CronExpression cron) {
		Duration shortest = Duration.ZERO;
		LocalDateTime run = cron.next(START);
		for (int i = 0; i < RUNS && run != null; i++) {
			LocalDateTime next = cron.next(run);
			if (next != null && (shortest.isZero() || Duration.between(run, next).compareTo(shortest) < 0)) {
				shortest = Duration.between(run, next);
			}
			run = next;
		}
		return shortest;
	}

}
