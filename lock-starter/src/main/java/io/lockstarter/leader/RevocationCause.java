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
package io.lockstarter.leader;

import io.lockstarter.LossCause;

/**
 * Enumeration of the reasons why leadership was revoked.
 *
 * @since 0.1
 */
public enum RevocationCause {

	/**
	 * The deadline of the lease passed before a renewal was confirmed.
	 */
	EXPIRED,

	/**
	 * The store no longer has the key for the leader.
	 */
	TAKEN,

	/**
	 * Somebody released the key in place of the leader, for example through the Actuator
	 * endpoint.
	 */
	FORCED,

	/**
	 * The leader {@link LeaderElection#yieldLeadership() yielded}.
	 */
	YIELDED,

	/**
	 * The election was stopped, in most cases with its application.
	 */
	STOPPED;

	static RevocationCause of(LossCause cause) {
		return switch (cause) {
			case EXPIRED -> EXPIRED;
			case TAKEN -> TAKEN;
			case FORCED -> FORCED;
		};
	}

	/**
	 * Return whether the lease is gone, so that another instance may lead already.
	 */
	boolean isLoss() {
		return this != YIELDED && this != STOPPED;
	}

}
