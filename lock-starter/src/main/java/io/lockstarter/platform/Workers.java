// SPDX-License-Identifier: Apache-2.0

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
