// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.jobs;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnBusy;
import io.lockstarter.sample.instance.Instance;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * A job that every instance starts at the same time, and one of them does. The others
 * skip it: they neither wait nor fail.
 */
@Component
class NightlyReport {

	private final JdbcClient jdbc;

	private final Instance instance;

	private final ApplicationEventPublisher events;

	NightlyReport(JdbcClient jdbc, Instance instance, ApplicationEventPublisher events) {
		this.jdbc = jdbc;
		this.instance = instance;
		this.events = events;
	}

	/**
	 * Write the report. The lock is kept for some seconds, though this is done sooner, or
	 * an instance whose clock is late would do it again.
	 */
	@Scheduled(cron = "${sale.report-cron}")
	@DistributedLock(key = "nightly-report", waitTime = "0s", onBusy = OnBusy.SKIP, minHold = "5s")
	@Transactional
	void write() {
		int orders = this.jdbc.sql("SELECT COUNT(*) FROM orders").query(Integer.class).single();
		OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);
		long token = LockScope.current().fencingToken();
		KeyHolder id = new GeneratedKeyHolder();
		this.jdbc.sql("INSERT INTO report (written_at, instance, orders, token) VALUES (?, ?, ?, ?)")
			.params(now, this.instance.name(), orders, token)
			.update(id, "id");
		this.events.publishEvent(new Report(Objects.requireNonNull(id.getKeyAs(Long.class)), now.toInstant(),
				this.instance.name(), orders, token));
	}

}
