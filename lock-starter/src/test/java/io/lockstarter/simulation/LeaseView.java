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
package io.lockstarter.simulation;

import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * What its holder knows of a lease, without looking at the clock: to ask a lease whether
 * it is valid may end it.
 */
public interface LeaseView {

	String key();

	String ownerId();

	long token();

	/**
	 * Return whether it was asked for in shared mode, whatever was granted.
	 */
	boolean isAskedShared();

	/**
	 * Return whether it was neither released nor seen lost.
	 */
	boolean isActive();

	/**
	 * Return up to when it is held, by the clock of its holder.
	 */
	long deadline();

	/**
	 * Return when the first command of its owner id was sent, by the clock of its holder.
	 */
	long ownerSince();

	/**
	 * Return whether the watchdog still renews it, or would.
	 */
	boolean isRenewed();

	long ttl();

	@Nullable LossCause lossCause();

}
