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
package io.lockstarter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Exception thrown when a key stayed busy for as long as its acquirer was willing to
 * wait. Nothing was acquired.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class LockNotAcquiredException extends LockException {

	private final String key;

	private final Duration waited;

	private final @Nullable String holder;

	/**
	 * Create the exception.
	 * @param key the busy key
	 * @param waited how long the acquirer waited
	 * @param holder the owner id that held the key when the store was last asked, if
	 * known
	 */
	public LockNotAcquiredException(String key, Duration waited, @Nullable String holder) {
		this(key, waited, holder, (holder != null) ? "held by " + holder : "holder unknown");
	}

	/**
	 * Create the exception.
	 * @param key the busy key
	 * @param waited how long the acquirer waited
	 * @param holder the owner id that held the key when the store was last asked, if
	 * known
	 * @param description who the holder is, for the message
	 */
	public LockNotAcquiredException(String key, Duration waited, @Nullable String holder, String description) {
		super("Lock '%s' is busy: not acquired within %d ms, %s".formatted(key, waited.toMillis(), description), null);
		this.key = key;
		this.waited = waited;
		this.holder = holder;
	}

	/**
	 * Return the busy key.
	 * @return the key
	 */
	public String key() {
		return this.key;
	}

	/**
	 * Return how long the acquirer waited.
	 * @return the time from the call to its end
	 */
	public Duration waited() {
		return this.waited;
	}

	/**
	 * Return the owner id that held the key when the store was last asked. It starts with
	 * the instance id of the holding registry.
	 * @return the owner id; {@code null} if not known
	 */
	public @Nullable String holder() {
		return this.holder;
	}

}
