// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs

import io.lockstarter.LockRegistry
import io.lockstarter.annotation.DistributedLock
import io.lockstarter.kotlin.withLock
import io.lockstarter.kotlin.withLockSuspending
import kotlinx.coroutines.yield

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

/**
 * The example of docs/asynchronous-and-reactive.md in Kotlin.
 */
open class SuspendingShop(private val registry: LockRegistry) {

	@DistributedLock(key = ["stock:#{#productId}"], waitTime = "\${shop.wait-time:2s}")
	open suspend fun buy(productId: Long): Int {
		yield()
		return if (registry.tryAcquire("stock:$productId").isEmpty) 7 else 0
	}

}
