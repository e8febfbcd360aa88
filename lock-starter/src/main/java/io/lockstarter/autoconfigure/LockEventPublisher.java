// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockLostEvent;
import io.lockstarter.LossCause;

import org.springframework.context.ApplicationEventPublisher;

/**
 * {@link LockListener} that publishes a {@link LockLostEvent} for each lost lease.
 */
final class LockEventPublisher implements LockListener {

	private final ApplicationEventPublisher events;

	LockEventPublisher(ApplicationEventPublisher events) {
		this.events = events;
	}

	@Override
	public void lost(LeaseInfo lease, LossCause cause) {
		this.events.publishEvent(new LockLostEvent(lease, cause));
	}

}
