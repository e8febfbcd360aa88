// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LeaseInfo;
import io.lockstarter.leader.LeadershipGrantedEvent;
import io.lockstarter.leader.LeadershipListener;
import io.lockstarter.leader.LeadershipRevokedEvent;
import io.lockstarter.leader.RevocationCause;

import org.springframework.context.ApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * {@link LeadershipListener} that publishes application events in its context. Those of a
 * context whose parent has the elections stay there, as the parent publishes its own.
 */
final class LeaderEvents implements LeadershipListener {

	private final ApplicationContext context;

	LeaderEvents(ApplicationContext context) {
		this.context = context;
	}

	private void publish(Object event) {
		if (LeaderAutoConfiguration.isInherited(this.context)) {
			this.context
				.getBean(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
						ApplicationEventMulticaster.class)
				.multicastEvent(new PayloadApplicationEvent<>(this.context, event));
		}
		else {
			this.context.publishEvent(event);
		}
	}

	@Override
	public void onGranted(String role, LeaseInfo lease) {
		publish(new LeadershipGrantedEvent(role, lease));
	}

	@Override
	public void onRevoked(String role, LeaseInfo lease, RevocationCause cause) {
		publish(new LeadershipRevokedEvent(role, lease, cause));
	}

}
