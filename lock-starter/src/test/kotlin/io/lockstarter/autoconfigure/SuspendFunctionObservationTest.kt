// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure

import io.lockstarter.annotation.DistributedLock
import io.micrometer.observation.Observation
import io.micrometer.observation.ObservationRegistry
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor
import io.micrometer.observation.tck.TestObservationRegistry
import io.micrometer.observation.tck.TestObservationRegistryAssert
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import kotlin.coroutines.coroutineContext

import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/**
 * Observations of the lock of a suspend function.
 */
class SuspendFunctionObservationTest {

	private val observations = TestObservationRegistry.create()

	@Test
	fun suspendFunctionHasTheObservationOfItsSection() {
		ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAutoConfiguration::class.java,
				LockObservationAutoConfiguration::class.java, LockInterceptorAutoConfiguration::class.java))
			.withPropertyValues("distributed-lock.store=memory")
			.withBean(ObservationRegistry::class.java, { observations })
			.withBean(Stock::class.java)
			.run { context ->
				val inside = runBlocking { context.getBean(Stock::class.java).buy(42) }
				assertThat(inside).isEqualTo("distributed.lock.section")
				TestObservationRegistryAssert.assertThat(observations)
					.hasObservationWithNameEqualTo("distributed.lock.section")
					.that()
					.hasBeenStopped()
					.hasLowCardinalityKeyValue("lock", "Stock.buy")
					.hasHighCardinalityKeyValueWithKey("lock.token")
				TestObservationRegistryAssert.assertThat(observations)
					.hasObservationWithNameEqualTo("distributed.lock.wait")
					.that()
					.hasLowCardinalityKeyValue("outcome", "acquired")
			}
	}

	open class Stock {

		@DistributedLock("stock:#{#id}")
		open suspend fun buy(id: Long): String? {
			yield()
			val context = coroutineContext[ReactorContext]?.context ?: return null
			return context.get<Observation>(ObservationThreadLocalAccessor.KEY).context.name
		}

	}

}
