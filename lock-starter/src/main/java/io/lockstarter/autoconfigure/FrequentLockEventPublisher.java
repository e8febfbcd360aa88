// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;

import io.lockstarter.LeaseInfo;
import io.lockstarter.LockAcquiredEvent;
import io.lockstarter.LockBusyEvent;
import io.lockstarter.LockListener;
import io.lockstarter.LockReleasedEvent;

import org.springframework.context.ApplicationEventPublisher;

/**
 * {@link LockListener} that publishes an application event for each lock that is
 * acquired, stays busy or is released.
 */
final class FrequentLockEventPublisher implements LockListener {

	private final ApplicationEventPublisher events;

	FrequentLockEventPublisher(ApplicationEventPublisher events) {
		this.events = events;
	}

	@Override
	public void acquired(LeaseInfo lease, Duration waited) {
		this.events.publishEvent(new LockAcquiredEvent(lease, waited));
	}

	@Override
	public void busy(LockBusyEvent event) {
		this.events.publishEvent(event);
	}

	@Override
	public void released(LeaseInfo lease, Duration held) {
		this.events.publishEvent(new LockReleasedEvent(lease, held));
	}

}
