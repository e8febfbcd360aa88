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
 * A lease as a test wants it to be.
 */
final class PlantedLease implements LeaseView {

	private final String ownerId;

	private final long token;

	String key = "k";

	long ownerSince;

	long deadline = 100 * World.MILLI;

	boolean shared;

	boolean active = true;

	boolean renewed = true;

	@Nullable LossCause lossCause;

	PlantedLease(String ownerId, long token) {
		this.ownerId = ownerId;
		this.token = token;
	}

	PlantedLease lost(LossCause cause) {
		this.active = false;
		this.lossCause = cause;
		return this;
	}

	@Override
	public String key() {
		return this.key;
	}

	@Override
	public String ownerId() {
		return this.ownerId;
	}

	@Override
	public long token() {
		return this.token;
	}

	@Override
	public boolean isAskedShared() {
		return this.shared;
	}

	@Override
	public boolean isActive() {
		return this.active;
	}

	@Override
	public long deadline() {
		return this.deadline;
	}

	@Override
	public long ownerSince() {
		return this.ownerSince;
	}

	@Override
	public boolean isRenewed() {
		return this.renewed;
	}

	@Override
	public long ttl() {
		return 100 * World.MILLI;
	}

	@Override
	public @Nullable LossCause lossCause() {
		return this.lossCause;
	}

}
