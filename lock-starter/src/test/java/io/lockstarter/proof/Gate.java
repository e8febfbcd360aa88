// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

/**
 * Lets pass whoever comes, or makes all wait. Thread-safe.
 */
final class Gate {

	private boolean shut;

	synchronized void shut() {
		this.shut = true;
	}

	synchronized void open() {
		this.shut = false;
		notifyAll();
	}

	synchronized void pass() throws InterruptedException {
		while (this.shut) {
			wait();
		}
	}

}
