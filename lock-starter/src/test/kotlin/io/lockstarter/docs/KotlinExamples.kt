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
package io.lockstarter.docs

import io.lockstarter.LockRegistry
import io.lockstarter.kotlin.withLock
import io.lockstarter.kotlin.withLockSuspending

/**
 * The examples of docs/programmatic-use.md in Kotlin.
 */
class KotlinExamples(private val registry: LockRegistry, private val stock: Stock) {

	/**
	 * What the examples do under their locks.
	 */
	interface Stock {

		fun decrement(productId: Long): Int

		suspend fun reprice(productId: Long, price: Int, fencingToken: Long)

	}

	fun sell(productId: Long): Int = registry.withLock("stock:$productId") { stock.decrement(productId) }

	suspend fun reprice(productId: Long, price: Int) {
		registry.withLockSuspending("stock:$productId") { lease ->
			stock.reprice(productId, price, lease.fencingToken())
			lease.checkValid()
		}
	}

}
