// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

/**
 * An address has bought too often in the last minute.
 */
class TooManyPurchasesException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final Duration wait;

	TooManyPurchasesException(int most, Duration wait) {
		super("No more than %d purchases a minute: try again later".formatted(most));
		this.wait = wait;
	}

	/**
	 * Return how long to wait until the next purchase is allowed.
	 */
	Duration waitTime() {
		return this.wait;
	}

}
