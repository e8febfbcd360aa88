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
package io.lockstarter.engine;

/**
 * Waits that an interrupt ends, or that keep it for later.
 */
final class Interrupts {

	private Interrupts() {
	}

	static InterruptedException interrupted(String key) {
		return new InterruptedException("Interrupted while acquiring lock '" + key + "'");
	}

	/**
	 * Wait, and keep an interrupt for later.
	 */
	static <T> T uninterruptibly(Wait<T> wait) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return wait.await();
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * A wait that an interrupt ends.
	 */
	interface Wait<T> {

		T await() throws InterruptedException;

	}

}
