// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

/**
 * How a sale is going.
 *
 * @param productId the product
 * @param offered how many items there were at the start
 * @param stock how many items are left, going by the books
 * @param orders how many items were sold
 * @param oversold how many of those never existed
 */
public record Sale(long productId, int offered, int stock, int orders, int oversold) {

	Sale(long productId, int offered, int stock, int orders) {
		this(productId, offered, stock, orders, Math.max(0, orders - offered));
	}

}
