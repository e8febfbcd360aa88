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
 * Callback to run while a lock is held, which returns a result; {@link LockedTask}
 * returns none.
 *
 * @param <T> the type of the result
 * @param <X> what the action may throw; inferred as unchecked for a lambda that throws
 * nothing
 * @since 0.1
 */
@FunctionalInterface
public interface LockedAction<T extends @Nullable Object, X extends Throwable> {

	/**
	 * Run under the lock.
	 * @param scope gives the fencing token, and tells whether the lock is held still
	 * @return the result
	 * @throws X if the action fails
	 */
	T run(LockScope scope) throws X;

}
