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
