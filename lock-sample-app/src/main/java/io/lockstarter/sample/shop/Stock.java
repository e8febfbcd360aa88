// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

/**
 * Where Redis counts the stock of a product.
 */
final class Stock {

	private Stock() {
	}

	static String key(long productId) {
		return "sale:%d:stock".formatted(productId);
	}

}
