/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
