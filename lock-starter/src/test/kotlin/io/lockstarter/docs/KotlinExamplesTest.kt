// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs

import java.nio.file.Files
import java.nio.file.Path

import io.lockstarter.Lease
import io.lockstarter.kotlin.TwoInstances
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

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
	fun everyExampleIsCompiled() {
		val source = withoutLayout(Path.of("src/test/kotlin/io/lockstarter/docs/KotlinExamples.kt"))
		val page = Files.readString(Path.of("../docs/programmatic-use.md"))
		val examples = Regex("```kotlin\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page).map { it.groupValues[1] }.toList()
		assertThat(examples).isNotEmpty()
		assertThat(examples).allSatisfy { assertThat(source).contains(withoutLayout(it)) }
	}

	private fun withoutLayout(file: Path) = withoutLayout(Files.readString(file))

	private fun withoutLayout(code: String) =
		code.lines().map(String::trim).filter(String::isNotEmpty).joinToString("\n")

}
