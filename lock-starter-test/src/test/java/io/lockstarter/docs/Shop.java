// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.annotation.DistributedLock;
import io.lockstarter.annotation.OnLost;

/**
 * The service that docs/testing-your-service.md tests.
 */
class Shop {

	private final Stock stock;

	Shop(Stock stock) {
		this.stock = stock;
	}

	@DistributedLock(key = "stock:#{#productId}", waitTime = "${shop.wait-time:2s}", onLost = OnLost.FAIL)
	public int sell(long productId) {
		return this.stock.decrement(productId);
	}

	/**
	 * Where the shop keeps what it sells.
	 */
	interface Stock {

		int decrement(long productId);

	}

}
