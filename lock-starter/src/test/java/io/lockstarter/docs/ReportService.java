// SPDX-License-Identifier: Apache-2.0
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
