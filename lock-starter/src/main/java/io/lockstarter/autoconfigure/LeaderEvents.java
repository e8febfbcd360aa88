// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LeaseInfo;
import io.lockstarter.leader.LeadershipGrantedEvent;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.leader.LeadershipRevokedEvent;
import io.lockstarter.leader.RevocationCause;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.Ordered;

/**
 * {@link LeadershipListener} that publishes application events.
 */
final class LeaderEvents implements LeadershipListener, Ordered {

	private final ApplicationEventPublisher events;

	LeaderEvents(ApplicationEventPublisher events) {
		this.events = events;
	}

	@Override
	public void onGranted(String role, LeaseInfo lease) {
		this.events.publishEvent(new LeadershipGrantedEvent(role, lease));
	}

	@Override
	public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
		this.events.publishEvent(new LeadershipRevokedEvent(role, lease, cause));
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

}
