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

/**
 * Exception thrown when a thread is interrupted while it waits for a lock in a method
 * that does not declare {@link InterruptedException}. Nothing was acquired and the
 * interrupt flag is set again.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public final class LockInterruptedException extends LockException {

	private final String key;

	/**
	 * Create the exception.
	 * @param key the key that was waited for
	 * @param cause the interrupt
	 */
	public LockInterruptedException(String key, InterruptedException cause) {
		super(key, "Interrupted while waiting for lock '%s'".formatted(key), cause);
		this.key = key;
	}

	/**
	 * Return the key that was waited for.
	 * @return the key
	 */
	@Override
	public String key() {
		return this.key;
	}

}
