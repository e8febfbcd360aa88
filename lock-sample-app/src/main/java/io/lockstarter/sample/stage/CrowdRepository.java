// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.lockstarter.sample.shop.Protection;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;
import org.springframework.util.StringUtils;

/**
 * The results of past crowds.
 */
@Repository
class CrowdRepository {

	private final JdbcClient jdbc;

	CrowdRepository(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Keep a result.
	 * @return the result, with its number
	 */
	CrowdReport add(CrowdReport report, int oversold) {
		KeyHolder id = new GeneratedKeyHolder();
		CrowdRequest request = report.request();
		this.jdbc.sql("""
				INSERT INTO crowd (protection, buyers, at_once, think_millis, instances, sold, oversold, refused,
				commits_refused, failed, mishaps, sold_per_second, p99_wait_micros)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				""")
			.params(request.protection().name(), request.buyers(), request.atOnce(), request.thinkMillis(),
					report.instances(), report.sold(), oversold, report.refused(), report.commitsRefused(),
					report.failed(), StringUtils.collectionToCommaDelimitedString(report.mishaps()),
					report.soldPerSecond(), report.p99WaitMicros())
			.update(id, "id");
		return report.finished(Objects.requireNonNull(id.getKeyAs(Long.class)), oversold);
	}

	/**
	 * Return the last results, the oldest of them first.
	 */
	List<CrowdReport> last(int most) {
		return this.jdbc.sql("SELECT * FROM (SELECT * FROM crowd ORDER BY id DESC LIMIT ?) AS latest ORDER BY id")
			.param(most)
			.query(CrowdRepository::read)
			.list();
	}

	private static CrowdReport read(ResultSet row, int index) throws SQLException {
		CrowdRequest request = new CrowdRequest(Protection.valueOf(row.getString("protection")), row.getInt("buyers"),
				row.getInt("at_once"), row.getInt("think_millis"));
		return new CrowdReport(row.getLong("id"), request, row.getInt("instances"), request.buyers(),
				row.getInt("sold"), row.getInt("oversold"), row.getInt("refused"), row.getInt("commits_refused"),
				row.getInt("failed"), mishaps(row.getString("mishaps")), row.getDouble("sold_per_second"),
				row.getLong("p99_wait_micros"));
	}

	private static Set<Mishap> mishaps(String names) {
		return StringUtils.commaDelimitedListToSet(names)
			.stream()
			.map(Mishap::valueOf)
			.collect(Collectors.toUnmodifiableSet());
	}

}
