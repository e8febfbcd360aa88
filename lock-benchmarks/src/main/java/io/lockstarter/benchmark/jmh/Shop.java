// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.jmh;

import io.lockstarter.annotation.DistributedLock;

/**
 * A bean with methods that do next to nothing.
 */
class Shop {

	/**
	 * Advised, but not locked.
	 */
	long plain(long productId) {
		return productId + 1;
	}

	@DistributedLock("shop")
	long fixedKey(long productId) {
		return productId + 1;
	}

	@DistributedLock("shop:#{#productId}")
	long keyOfArgument(long productId) {
		return productId + 1;
	}

	@DistributedLock("shop:#{#order.customer.name}:#{#order.id}")
	long keyOfProperties(Order order) {
		return order.id() + 1;
	}

	/**
	 * An argument.
	 *
	 * @param id its number
	 * @param customer who ordered
	 */
	public record Order(long id, Customer customer) {

	}

	/**
	 * Part of an argument.
	 *
	 * @param name the name
	 */
	public record Customer(String name) {

	}

}
