// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.actuate;

import java.util.concurrent.ExecutionException;

import io.lockstarter.LockInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * {@link AbstractHealthIndicator} of distributed locks: up while locks can be acquired,
 * and down while they cannot; unknown while the store, which served before, is silent for
 * so short a time that no lease is lost by it yet. A lock of the check's own is acquired
 * to find out, once in 5 seconds at most unless that, or another command, failed.
 *
 * @since 0.1
 */
public final class LockHealthIndicator extends AbstractHealthIndicator {

	private final @Nullable LockInspector inspector;

	/**
	 * Create the indicator.
	 * @param inspector what knows how the store is; {@code null} if a test has put a mock
	 * in its place
	 */
	public LockHealthIndicator(@Nullable LockInspector inspector) {
		super("The lock store could not be checked");
		this.inspector = inspector;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) throws InterruptedException, ExecutionException {
		LockHealth health = LockHealth.check(this.inspector);
		builder.status(health.status()).withDetails(health.details());
	}

}
