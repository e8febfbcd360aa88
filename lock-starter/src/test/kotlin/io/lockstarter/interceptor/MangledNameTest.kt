// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor

import java.time.Duration

import io.lockstarter.LockNotAcquiredException
import io.lockstarter.annotation.DistributedLock
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/**
 * Methods are called what Kotlin's source calls them, not what its compiler makes of it.
 */
class MangledNameTest {

	private val registry = RecordingRegistry()

	private fun <T> orders(calls: (Orders) -> T): T =
		LockedContext.withClassProxies(registry, Orders::class.java).use { calls(it.bean(Orders::class.java)) }

	@Test
	fun fallbackWithAValueClassOrThatIsInternalIsFound() {
		registry.refusal = LockNotAcquiredException("k", Duration.ZERO, listOf("other"))
		orders {
			assertThat(it.ship(OrderId(5))).isEqualTo("later 5 k")
			assertThat(it.cancel(OrderId(5))).isEqualTo("never 5")
			assertThat(it.count(5)).isEqualTo("internal 5")
			assertThat(runBlocking { it.pay(OrderId(5)) }).isEqualTo("suspended 5")
		}
	}

	@Test
	fun lockIsCalledLikeItsMethod() {
		orders { it.ship(OrderId(5)) }
		assertThat(registry.options.name()).isEqualTo("Orders.ship")
	}

	@Test
	fun keyHasTheNameOfItsMethod() {
		orders { it.keep(OrderId(5)) }
		assertThat(registry.keys).containsExactly("keep:5")
	}

	@JvmInline
	value class OrderId(val value: Long)

	@Suppress("unused", "UNUSED_PARAMETER")
	open class Orders {

		@DistributedLock("k", fallback = "later")
		open fun ship(id: OrderId): String = "shipped $id"

		private fun later(id: OrderId, busy: LockNotAcquiredException) = "later ${id.value} ${busy.key()}"

		@DistributedLock("k", fallback = "never")
		open fun cancel(id: OrderId): String = "cancelled $id"

		internal fun never(id: OrderId) = "never " + listOf(id).joinToString { it.value.toString() }

		@DistributedLock("k", fallback = "inside")
		open fun count(id: Long): String = "counted $id"

		internal fun inside(id: Long) = "internal $id"

		@DistributedLock("k", fallback = "suspended")
		open suspend fun pay(id: OrderId): String = "paid $id"

		private suspend fun suspended(id: OrderId): String {
			yield()
			return "suspended ${id.value}"
		}

		@DistributedLock("#{#root.methodName}:#{#id}")
		open fun keep(id: OrderId) = Unit

	}

}
