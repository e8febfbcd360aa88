// SPDX-License-Identifier: Apache-2.0
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
