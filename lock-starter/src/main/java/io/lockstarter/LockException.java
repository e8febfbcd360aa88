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

import org.jspecify.annotations.Nullable;

/**
 * Base class of the exceptions that locks throw in operation.
 *
 * @since 0.1
 */
@SuppressWarnings("serial")
public abstract class LockException extends RuntimeException {

	private final @Nullable String key;

	LockException(@Nullable String key, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.key = key;
	}

	/**
	 * Return the key of the lock that could not be had or kept; of several the one that
	 * decided.
	 * @return the key; {@code null} only for a failure of the store that belongs to no
	 * key, or whose key is not known
	 */
	public @Nullable String key() {
		return this.key;
	}

}
