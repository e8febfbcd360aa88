// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

/**
 * A write came from somebody who no longer holds the lock: the books have seen a larger
 * fencing token. Nothing was written.
 */
public class StaleTokenException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	StaleTokenException(long productId, long token) {
		super("Product %d was written under a larger fencing token than %d".formatted(productId, token));
	}

}
