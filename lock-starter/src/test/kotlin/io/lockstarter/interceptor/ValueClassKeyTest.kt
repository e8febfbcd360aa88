// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor

import java.util.Date
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

import io.lockstarter.annotation.DistributedLock
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

/**
 * Equal values have one key, whether Kotlin passes them in a box or not; and data classes are looked into.
 */
class ValueClassKeyTest {

	private val registry = RecordingRegistry()

	private fun keys(calls: (Orders) -> Unit): List<String> {
		LockedContext.withClassProxies(registry, Orders::class.java).use { calls(it.bean(Orders::class.java)) }
		return registry.keys
	}

	@Test
	fun valueClassIsTheSameKeyWhetherItIsBoxedOrNot() {
		val keys = keys {
			it.one(OrderId(5))
			it.oneOrNone(OrderId(5))
			it.several(listOf(OrderId(5)))
			it.any(OrderId(5))
			it.put(OrderId(5))
		}
		assertThat(keys).containsExactly("order:5", "order:5", "order:5", "order:5", "order:5")
	}

	@Test
	fun valueClassOfAReferenceIsTheSameKeyToo() {
		val keys = keys {
			it.named(Name("n"))
			it.any(Name("n"))
		}
		assertThat(keys).containsExactly("order:n", "order:n")
	}

	@Test
	fun numbersWithoutASignAndDurationsAreTheSameKeyToo() {
		assertThat(keys {
			it.part(4000000000u)
			it.partOrNone(4000000000u)
		}.distinct()).hasSize(1)
		registry.keys.clear()
		assertThat(keys {
			it.slot(90.seconds)
			it.slotOrNone(90.seconds)
		}.distinct()).hasSize(1)
	}

	@Test
	fun dataClassIsRefusedForWhatItsTextShows() {
		assertThatThrownBy { keys { it.any(Day(Date(0))) } }.isInstanceOf(IllegalArgumentException::class.java)
			.hasMessageContaining("Day that contains a java.util.Date, whose text depends on the time zone")
	}

	@Test
	fun dataClassIsRefusedForWhatIsBehindAValueClassOrInternal() {
		assertThatThrownBy { keys { it.any(Delivery(OrderId(1), 2, Date(0))) } }
			.isInstanceOf(IllegalArgumentException::class.java)
			.hasMessageContaining("Delivery that contains a java.util.Date")
	}

	@Test
	fun dataClassShowsWhatIsInAnArray() {
		assertThat(keys { it.any(Document(byteArrayOf(1, 2))) }).containsExactly("order:Document(hash=[1, 2])")
	}

	@JvmInline
	value class OrderId(val value: Long)

	@JvmInline
	value class Name(val value: String)

	data class Day(val date: Date)

	data class Delivery(val order: OrderId, internal val part: Int, val date: Date)

	data class Document(val hash: ByteArray) {

		override fun equals(other: Any?) = other is Document && hash.contentEquals(other.hash)

		override fun hashCode() = hash.contentHashCode()

	}

	open class Orders {

		@DistributedLock("order:#{#id}")
		open fun one(id: OrderId) = Unit

		@DistributedLock("order:#{#id}")
		open fun oneOrNone(id: OrderId?) = Unit

		@DistributedLock("order:#{#ids}")
		open fun several(ids: List<OrderId>) = Unit

		@DistributedLock("order:#{#value}")
		open fun any(value: Any) = Unit

		@DistributedLock("'order:' + #id")
		open fun put(id: OrderId?) = Unit

		@DistributedLock("order:#{#name}")
		open fun named(name: Name) = Unit

		@DistributedLock("part:#{#part}")
		open fun part(part: UInt) = Unit

		@DistributedLock("part:#{#part}")
		open fun partOrNone(part: UInt?) = Unit

		@DistributedLock("slot:#{#slot}")
		open fun slot(slot: Duration) = Unit

		@DistributedLock("slot:#{#slot}")
		open fun slotOrNone(slot: Duration?) = Unit

	}

}
