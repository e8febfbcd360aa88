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
import io.lockstarter.LockListener;
import io.lockstarter.LockLostEvent;
import io.lockstarter.LossCause;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.Ordered;

/**
 * {@link LockListener} that publishes a {@link LockLostEvent} for each lost lease.
 */
final class LockEventPublisher implements LockListener, Ordered {

	private final ApplicationEventPublisher events;

	LockEventPublisher(ApplicationEventPublisher events) {
		this.events = events;
	}

	@Override
	public void lost(LeaseInfo lease, LossCause cause) {
		this.events.publishEvent(new LockLostEvent(lease, cause));
	}

	@Override
	public int getOrder() {
		return LOWEST_PRECEDENCE;
	}

}
