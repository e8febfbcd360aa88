// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.kotlin

import java.io.IOException
import java.time.Duration

import io.lockstarter.Lease
import io.lockstarter.LockInspector
import io.lockstarter.LockLostException
import io.lockstarter.LockNotAcquiredException
import io.lockstarter.LockOptions
import io.lockstarter.LockScope
import io.lockstarter.LockStoreException
import io.lockstarter.engine.DefaultLockRegistry
import io.lockstarter.engine.RegistrySettings
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/**
 * The functions of the registry for Kotlin.
 */
class LockRegistryExtensionsTest {

	private val once = LockOptions.defaults().withWaitTime(Duration.ZERO)

	private val instances = TwoInstances()

	private val registry = instances.registry

	@AfterEach
	fun close() {
		instances.close()
	}

	private fun waiting() = (registry as LockInspector).waiting().size

	private suspend fun awaitWaiting() {
		while (waiting() == 0) {
			yield()
		}
	}

	@Test
	fun actionRunsUnderTheLockOfTheThread() {
		val token = registry.withLock("k") { lease ->
			assertThat(instances.isHeld("k")).isTrue()
			assertThat(LockScope.current().lease("k")).isSameAs(lease)
			assertThat(registry.withLock("k", once) { "nested" }).isEqualTo("nested")
			lease.fencingToken()
		}
		assertThat(instances.acquired("k")).extracting<Long>(Lease::fencingToken).containsExactly(token)
		assertThat(instances.isHeld("k")).isFalse()
		assertThat(registry.withLock<String?>("k") { null }).isNull()
	}

	@Test
	fun exceptionsPassAsTheyAre() {
		assertThatThrownBy { registry.withLock("k") { throw IOException("thrown") } }.hasMessage("thrown")
		assertThatThrownBy { runBlocking { registry.withLockSuspending("k") { throw IOException("thrown") } } }
			.isInstanceOf(IOException::class.java)
		assertThat(instances.isHeld("k")).isFalse()
		instances.holdByOther("k")
		assertThatThrownBy { registry.withLock("k", once) {} }.isInstanceOf(LockNotAcquiredException::class.java)
		assertThatThrownBy { runBlocking { registry.withLockSuspending("k", once) {} } }
			.isInstanceOf(LockNotAcquiredException::class.java)
		val unavailable = DefaultLockRegistry("unavailable", TwoInstances.Unavailable(), RegistrySettings.defaults(), listOf())
		assertThatThrownBy { runBlocking { unavailable.withLockSuspending("l") {} } }
			.isInstanceOf(LockStoreException::class.java)
		unavailable.stop()
	}

	@Test
	fun waitBlocksNoThread() = runBlocking<Unit> {
		val busy = instances.holdByOther("k")
		val result = async { registry.withLockSuspending("k") { "done" } }
		awaitWaiting()
		busy.close()
		assertThat(result.await()).isEqualTo("done")
		assertThat(instances.isHeld("k")).isFalse()
	}

	@Test
	fun leaseIsHeldAndInScopeOnEachThreadOfTheSection() = runBlocking<Unit> {
		registry.withLockSuspending("outer") {
			registry.withLockSuspending("inner") { inner ->
				withContext(Dispatchers.Default) {
					yield()
					assertThat(LockScope.current().leases()).containsExactly(inner)
					assertThat(instances.isHeld("outer")).isTrue()
					assertThat(instances.isHeld("inner")).isTrue()
					instances.takeOver("outer").close()
					assertThatThrownBy { LockScope.checkAll() }.isInstanceOf(LockLostException::class.java)
				}
				assertThat(LockScope.current().leases()).containsExactly(inner)
			}
			assertThat(LockScope.current().leases()).extracting<String>(Lease::key).containsExactly("outer")
		}
		assertThat(LockScope.find()).isEmpty
		withContext(Dispatchers.Default) { assertThat(LockScope.find()).isEmpty }
	}

	@Test
	fun cancellationGivesUpTheWait() = runBlocking<Unit> {
		val busy = instances.holdByOther("k")
		val job = launch { registry.withLockSuspending("k") {} }
		awaitWaiting()
		job.cancelAndJoin()
		assertThat(waiting()).isZero()
		busy.close()
		assertThat(instances.isHeld("k")).isFalse()
		assertThat(instances.acquired("k")).isEmpty()
	}

	@Test
	fun cancellationInTheSectionReleasesTheLeaseBeforeTheCoroutineEnds() = runBlocking<Unit> {
		val entered = CompletableDeferred<Unit>()
		val job = launch {
			registry.withLockSuspending("k") {
				entered.complete(Unit)
				awaitCancellation()
			}
		}
		entered.await()
		assertThat(instances.isHeld("k")).isTrue()
		job.cancelAndJoin()
		assertThat(instances.isHeld("k")).isFalse()
	}

	@Test
	fun leaseThatIsGrantedToACancelledCoroutineIsReleased() = runBlocking<Unit> {
		val busy = instances.holdByOther("k")
		var entered = false
		val job = launch { registry.withLockSuspending("k") { entered = true } }
		awaitWaiting()
		busy.close()
		// This thread is that of the coroutine, which cannot go on meanwhile.
		Awaitility.await().until { instances.acquired("k").size == 1 }
		job.cancelAndJoin()
		assertThat(entered).isFalse()
		Awaitility.await().until { !instances.isHeld("k") }
	}

	@Test
	fun sectionThatLosesItsLeaseSeesIt() = runBlocking<Unit> {
		registry.withLockSuspending("k") { lease ->
			val taken = instances.takeOver("k")
			assertThat(lease.isValid).isFalse()
			assertThatThrownBy { LockScope.current().checkValid() }.isInstanceOf(LockLostException::class.java)
			assertThat(taken.isValid).isTrue()
		}
		assertThat(instances.isHeld("k")).isTrue()
	}

	@Test
	fun manySectionsExcludeEachOther() = runBlocking<Unit> {
		var inside = 0
		var sections = 0
		suspend fun section(scope: CoroutineScope) = scope.launch(Dispatchers.Default) {
			registry.withLockSuspending("k", LockOptions.defaults().withWaitTime(Duration.ofMinutes(1))) {
				assertThat(++inside).isOne()
				yield()
				inside--
				sections++
			}
		}
		List(200) { section(this) }.forEach { it.join() }
		assertThat(sections).isEqualTo(200)
	}

}
