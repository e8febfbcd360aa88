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
package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.Ordered;

/**
 * {@link LockListener} that logs a warning for each event.
 */
final class LoggingLockListener implements LockListener, Ordered {

	private static final Log logger = LogFactory.getLog(LoggingLockListener.class);

	@Override
	public void lost(Lease lease, LossCause cause) {
		String what = switch (cause) {
			case EXPIRED -> "its deadline passed, and another holder may have it";
			case TAKEN -> "it expired, was deleted or evicted there, or another holder has it";
		};
		logger.warn("Lock '%s' was lost (%s, fencing token %d): %s".formatted(lease.key(), cause, lease.fencingToken(),
				what));
	}

	@Override
	public void releaseUnconfirmed(Lease lease, LockStoreException failure) {
		logger
			.warn("The release of lock '%s' (fencing token %d) was not confirmed: others may wait for it up to its ttl"
				.formatted(lease.key(), lease.fencingToken()), failure);
	}

	@Override
	public void abandoned(Lease lease) {
		logger.warn("Lock '%s' (fencing token %d) was still held at shutdown: it is left to its ttl"
			.formatted(lease.key(), lease.fencingToken()));
	}

	@Override
	public void clockSetBack(String key, Duration remaining, Duration setBack) {
		logger
			.warn(("The clock of the lock store was set back by %d ms or more: lock '%s', and maybe others, stays for "
					+ "%d ms if its holder is gone. Delete its key if you know that it is")
				.formatted(setBack.toMillis(), key, remaining.toMillis()));
	}

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

}
