// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs

import java.nio.file.Files
import java.nio.file.Path

import io.lockstarter.Lease
import io.lockstarter.autoconfigure.LockAutoConfiguration
import io.lockstarter.autoconfigure.LockInterceptorAutoConfiguration
import io.lockstarter.kotlin.TwoInstances
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/**
 * Runs the examples of docs/programmatic-use.md in Kotlin, and sees that they are those of the page.
 */
class KotlinExamplesTest {

	private val instances = TwoInstances()

	private val tokens = mutableListOf<Long>()

	private val examples = KotlinExamples(instances.registry, object : KotlinExamples.Stock {

		override fun decrement(productId: Long): Int {
			assertThat(instances.isHeld("stock:$productId")).isTrue()
			return 7
		}

		override suspend fun reprice(productId: Long, price: Int, fencingToken: Long) {
			yield()
			assertThat(instances.isHeld("stock:$productId")).isTrue()
			tokens.add(fencingToken)
		}

	})

	@AfterEach
	fun close() {
		instances.close()
	}

	@Test
	fun examplesLock() = runBlocking<Unit> {
		assertThat(examples.sell(42)).isEqualTo(7)
		examples.reprice(42, 10)
		assertThat(instances.acquired("stock:42")).extracting<Long>(Lease::fencingToken).hasSize(2).endsWith(tokens.single())
	}

	@Test
	fun annotatedFunctionHoldsItsLock() {
		ApplicationContextRunner()
			.withConfiguration(
				AutoConfigurations.of(LockAutoConfiguration::class.java, LockInterceptorAutoConfiguration::class.java)
			)
			.withPropertyValues("distributed-lock.store=memory", "shop.wait-time=1s")
			.withBean(SuspendingShop::class.java)
			.run { context ->
				val shop = context.getBean(SuspendingShop::class.java)
				assertThat(runBlocking { shop.buy(42) }).isEqualTo(7)
			}
	}

	@Test
	fun everyExampleIsCompiled() {
		val source = withoutLayout(Path.of("src/test/kotlin/io/lockstarter/docs/KotlinExamples.kt"))
		val pages = listOf("programmatic-use.md", "asynchronous-and-reactive.md").map { Files.readString(Path.of("../docs", it)) }
		val examples = pages.flatMap { page ->
			Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).map { it.groupValues[1] }
		}
		assertThat(examples).hasSize(3)
		assertThat(examples).allSatisfy { assertThat(source).contains(withoutLayout(it)) }
	}

	private fun withoutLayout(file: Path) = withoutLayout(Files.readString(file))

	private fun withoutLayout(code: String) =
		code.lines().map(String::trim).filter(String::isNotEmpty).joinToString("\n")

}
