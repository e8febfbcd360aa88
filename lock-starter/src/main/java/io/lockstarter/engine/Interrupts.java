// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

/**
 * Waits that an interrupt ends, or that keep it for later.
 */
final class Interrupts {

	private Interrupts() {
	}

	/**
	 * Return the key, unless the current thread is interrupted.
	 */
	static String check(String key) throws InterruptedException {
		if (Thread.interrupted()) {
			throw interrupted(key);
		}
		return key;
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
