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
