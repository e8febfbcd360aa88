/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
