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

import io.lockstarter.Lease;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;

import org.springframework.stereotype.Service;

/**
 * An example of the README.
 */
@Service
public class ReportService {

	private final LockRegistry registry;

	ReportService(LockRegistry registry) {
		this.registry = registry;
	}

	public long report() throws InterruptedException {
		try (Lease lease = this.registry.acquire("report", LockOptions.defaults())) {
			return lease.fencingToken();
		}
	}

}
