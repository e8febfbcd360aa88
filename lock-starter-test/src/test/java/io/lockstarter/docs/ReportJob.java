// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockRegistry;

/**
 * A job that docs/testing-your-service.md tests.
 */
class ReportJob {

	private final LockRegistry registry;

	private final Runnable report;

	ReportJob(LockRegistry registry) {
		this(registry, () -> {
		});
	}

	ReportJob(LockRegistry registry, Runnable report) {
		this.registry = registry;
		this.report = report;
	}

	boolean run() {
		LeasedLock lock = this.registry.obtain("report");
		if (!lock.tryLock()) {
			return false;
		}
		try {
			this.report.run();
			return true;
		}
		finally {
			lock.unlock();
		}
	}

}
