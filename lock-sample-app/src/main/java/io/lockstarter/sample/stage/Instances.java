// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.springframework.stereotype.Component;

/**
 * The instances that were heard of lately.
 */
@Component
class Instances {

	// Longer than a busy machine keeps an instance waiting. Who finds one dead says so.
	private static final long SILENCE = TimeUnit.SECONDS.toMicros(5);

	private final Map<String, InstanceReport> reports = new ConcurrentHashMap<>();

	void heard(InstanceReport report) {
		if (report.ending()) {
			this.reports.remove(report.name());
		}
		else {
			this.reports.put(report.name(), report);
		}
	}

	void gone(InstanceReport report) {
		this.reports.remove(report.name(), report);
	}

	List<InstanceReport> living() {
		long since = Micros.now() - SILENCE;
		return this.reports.values()
			.stream()
			.filter((report) -> report.at() > since)
			.sorted(Comparator.comparing(InstanceReport::name))
			.toList();
	}

}
