// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

/**
 * Nothing is left of a product.
 */
public class SoldOutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SoldOutException(long productId) {
		super("Product %d is sold out".formatted(productId));
	}

}
