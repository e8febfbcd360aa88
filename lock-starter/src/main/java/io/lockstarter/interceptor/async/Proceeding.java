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
package io.lockstarter.interceptor.async;

import io.lockstarter.LockScope;
import org.jspecify.annotations.Nullable;

/**
 * Rest of an invocation: the next lock of a method, or the method itself.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface Proceeding {

	/**
	 * Proceed with the invocation.
	 * @param parameters what the method receives
	 */
	@Nullable Object proceed(@Nullable Object[] parameters) throws Throwable;

	/**
	 * Proceed with the invocation in the scope of its leases.
	 */
	// NullAway knows that T may be null only in its JSpecify mode, which needs a newer
	// JDK.
	@SuppressWarnings("NullAway")
	default @Nullable Object proceed(@Nullable Object[] parameters, LockScope scope) throws Throwable {
		return scope.<@Nullable Object, Throwable>call((current) -> proceed(parameters));
	}

}
