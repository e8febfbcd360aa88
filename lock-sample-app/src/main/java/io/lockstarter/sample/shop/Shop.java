// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

/**
 * Where an item can be bought.
 */
public interface Shop {

	/**
	 * Return how this shop keeps buyers apart.
	 * @return the protection
	 */
	Protection protection();

	/**
	 * Buy one item.
	 * @param productId the product
	 * @param thinkTime how long the shop takes to decide, having seen the stock
	 * @return the order
	 * @throws SoldOutException if nothing is left
	 */
	Order buy(long productId, Duration thinkTime);

}
