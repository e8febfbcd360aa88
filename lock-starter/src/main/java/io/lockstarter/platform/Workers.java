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

package io.lockstarter.platform;

import java.util.concurrent.Executor;

/**
 * Threads for what others wrote, which may block. A task runs once, as soon as any of the
 * threads can, and {@link #execute} throws nothing if no thread can be added.
 */
public interface Workers extends Executor {

	/**
	 * Start the first thread, if it is not, and keep it.
	 * @throws OutOfMemoryError if it cannot be started
	 */
	default void start() {
	}

	/**
	 * Keep no thread from now on. Tasks that come later begin one.
	 */
	default void endWhenIdle() {
	}

}
