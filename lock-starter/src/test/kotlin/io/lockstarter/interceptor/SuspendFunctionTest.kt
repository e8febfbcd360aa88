// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor

import java.io.IOException
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.function.Supplier

import io.lockstarter.LockLostException
import io.lockstarter.LockNotAcquiredException
import io.lockstarter.LockRegistry
import io.lockstarter.LockScope
import io.lockstarter.LockStoreException
import io.lockstarter.LossCause
import io.lockstarter.annotation.DistributedLock
import io.lockstarter.annotation.LockFailureHandler
import io.lockstarter.annotation.OnBusy
import io.lockstarter.annotation.OnLost
import io.lockstarter.annotation.OnUnavailable
import io.lockstarter.kotlin.withLockSuspending
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test

import org.springframework.beans.factory.BeanCreationException

/**
 * Suspend functions: their lock belongs to the coroutine, wherever it is resumed, and ends with it.
 */
class SuspendFunctionTest {

	private val busy = LockNotAcquiredException("k", Duration.ofSeconds(1), emptyList())

	private val down = LockStoreException("down", true, null)

	private val registry = RecordingRegistry()

	private var handler: LockFailureHandler? = null

	private fun work(test: suspend CoroutineScope.(Work) -> Unit) {
		LockedContext.withHandler(registry, Supplier { handler }, Work::class.java, Inner::class.java).use { context ->
			runBlocking { withTimeout(10_000) { test(context.bean(Work::class.java)) } }
		}
	}

	@Test
	fun lockIsHeldAcrossSuspensionsAndReleasedAtTheEnd() = work { work ->
		val gate = CompletableDeferred<String>()
		val result = async(start = CoroutineStart.UNDISPATCHED) { work.run(7, gate) }
		while (registry.events.isEmpty()) {
			yield()
		}
		assertThat(registry.events).containsExactly("acquired k:7")
		gate.complete("done")
		assertThat(result.await()).isEqualTo("done")
		assertThat(registry.events).containsExactly("acquired k:7", "released k:7")
	}

	@Test
	fun unitAndNullAreResultsToo() = work { work ->
		work.unit()
		assertThat(work.nullable(OnBusy.THROW)).isNull()
		assertThat(registry.events).containsExactly("acquired k", "released k", "acquired k", "released k")
	}

	@Test
	fun exceptionPassesAndTheLockIsReleased() = work { work ->
		assertThatThrownBy { runBlocking { work.fail() } }.isInstanceOf(IOException::class.java).hasMessage("thrown")
		assertThat(registry.events).containsExactly("acquired k", "released k")
	}

	@Test
	fun callerGoesOnOnlyAfterTheReleaseWasConfirmed() = work { work ->
		registry.confirmation = CompletableFuture<Boolean>()
		val result = async { work.unit() }
		while (registry.events.size < 2) {
			yield()
		}
		assertThat(result.isCompleted).isFalse()
		registry.confirmation.complete(true)
		result.await()
	}

	@Test
	fun cancellationWhileWaitingGivesUpTheWait() = work { work ->
		registry.grants = CompletableFuture<Any>()
		val waiting = launch { work.unit() }
		while (registry.attempts.isEmpty()) {
			yield()
		}
		waiting.cancelAndJoin()
		assertThat(registry.attempts).singleElement().satisfies({ attempt -> assertThat(attempt).isCancelled() })
	}

	@Test
	fun cancelledFunctionKeepsItsLockUntilItHasCleanedUp() = work { work ->
		val begun = CompletableDeferred<Unit>()
		val cleanUp = CompletableDeferred<Unit>()
		val running = launch { work.cleaningUp(begun, cleanUp) }
		begun.await()
		running.cancelAndJoin()
		assertThat(registry.events).containsExactly("acquired outer", "acquired inner")
		cleanUp.complete(Unit)
		while (registry.events.size < 4) {
			yield()
		}
		assertThat(registry.events).contains("released inner", "released outer")
	}

	@Test
	fun scopeIsCurrentOnEveryThreadThatTheFunctionIsResumedOn() = work { work ->
		assertThat(work.scopes()).containsExactly("scope", "scope", "scope", "scope")
		assertThat(LockScope.find()).isEmpty()
	}

	@Test
	fun scopeOfACallerIsBackAfterACallThatLocksToo() = work { work ->
		assertThat(work.callsAnother()).containsExactly("outer", "inner", "inner", "outer")
	}

	@Test
	fun sectionOfTheRegistryNestsInAnAnnotatedFunctionAndTheOtherWayRound() = work { work ->
		assertThat(work.lockedByTheRegistry(registry))
			.containsExactly("outer", "registry", "inner", "inner", "registry", "outer")
	}

	@Test
	fun severalAnnotationsNest() = work { work ->
		assertThat(work.nested()).isEqualTo("inner")
		assertThat(registry.events).containsExactly("acquired outer", "acquired inner", "released inner",
			"released outer")
	}

	@Test
	fun skippedCallIsNull() = work { work ->
		registry.refusal = busy
		assertThat(work.nullable(OnBusy.SKIP)).isNull()
		work.skippedUnit()
		assertThat(registry.events).isEmpty()
	}

	@Test
	fun functionThatNeverReturnsNullCannotBeSkipped() {
		assertThatThrownBy { LockedContext.withClassProxies(registry, SkipsNonNull::class.java) }
			.isInstanceOf(BeanCreationException::class.java)
			.hasMessageContaining("(String) is never null")
	}

	@Test
	fun resultThatIsCompleteOnlyLaterIsRefused() {
		assertThatThrownBy { LockedContext.withClassProxies(registry, ReturnsFuture::class.java) }
			.isInstanceOf(BeanCreationException::class.java)
			.hasMessageContaining("(CompletableFuture) is complete only after it returned")
		assertThatThrownBy { LockedContext.withClassProxies(registry, ContainsSequence::class.java) }
			.isInstanceOf(BeanCreationException::class.java)
			.hasMessageContaining("(Sequence) is complete only after it returned")
	}

	@Test
	fun fallbackThatDoesNotSuspendIsRefused() {
		assertThatThrownBy { LockedContext.withClassProxies(registry, BlockingFallback::class.java) }
			.isInstanceOf(BeanCreationException::class.java)
			.hasMessageContaining("fallback = \"instead\" has another signature")
	}

	@Test
	fun fallbackSuspendsAsWell() = work { work ->
		registry.refusal = busy
		assertThat(work.withFallback(3)).isEqualTo("fallback for 3: k")
	}

	@Test
	fun handlerIsGivenTheArgumentsWithoutTheContinuation() = work { work ->
		registry.refusal = busy
		handler = LockFailureHandler { call, _ -> "handled " + call.arguments }
		assertThat(work.simple(4)).isEqualTo("handled [4]")
	}

	@Test
	fun busyLockIsThrownAtTheCaller() = work { work ->
		registry.refusal = busy
		assertThatThrownBy { runBlocking { work.unit() } }.isInstanceOf(LockNotAcquiredException::class.java)
	}

	@Test
	fun functionProceedsWithoutAStoreIfItIsTo() = work { work ->
		registry.refusal = down
		assertThat(work.proceed()).isEqualTo("scope: false")
	}

	@Test
	fun lossFailsTheCallWhenItIsComplete() = work { work ->
		assertThatThrownBy { runBlocking { work.failOnLoss { lose() } } }.isInstanceOf(LockLostException::class.java)
	}

	@Test
	fun lossCancelsTheFunction() = work { work ->
		val cancelled = CompletableDeferred<Unit>()
		assertThatThrownBy { runBlocking { work.interruptOnLoss(cancelled) { lose() } } }
			.isInstanceOf(LockLostException::class.java)
		cancelled.await()
	}

	@Test
	fun flowIsLockedWhileItIsCollected() = work { work ->
		val flow = work.flow()
		assertThat(registry.events).isEmpty()
		assertThat(flow.toList()).containsExactly("flow", "flow")
		assertThat(flow.first()).isEqualTo("flow")
		while (registry.events.size < 4) {
			yield()
		}
		assertThat(registry.events).containsExactly("acquired flow", "released flow", "acquired flow", "released flow")
	}

	@Test
	fun flowOfASuspendFunctionIsLockedWhileItIsCollected() = work { work ->
		assertThat(work.suspendedFlow().toList()).containsExactly(1, 2)
		assertThat(registry.events).containsExactly("acquired k", "released k")
	}

	private fun lose() {
		registry.granted!!.lose(LossCause.EXPIRED)
	}

	open class Work(private val inner: Inner) {

		@DistributedLock("k:#{#id}")
		open suspend fun run(id: Long, gate: CompletableDeferred<String>): String = gate.await()

		@DistributedLock("k")
		open suspend fun unit() = yield()

		@DistributedLock("k", onBusy = OnBusy.SKIP)
		open suspend fun nullable(@Suppress("UNUSED_PARAMETER") onBusy: OnBusy): String? {
			yield()
			return null
		}

		@DistributedLock("k", onBusy = OnBusy.SKIP)
		open suspend fun skippedUnit() {
			throw IllegalStateException("not skipped")
		}

		@DistributedLock("k")
		open suspend fun fail(): String {
			yield()
			throw IOException("thrown")
		}

		@DistributedLock("outer")
		@DistributedLock("inner")
		open suspend fun cleaningUp(begun: CompletableDeferred<Unit>, cleanUp: CompletableDeferred<Unit>) {
			try {
				begun.complete(Unit)
				awaitCancellation()
			}
			finally {
				withContext(NonCancellable) { cleanUp.await() }
			}
		}

		@DistributedLock("scope")
		open suspend fun scopes(): List<String> {
			val seen = mutableListOf(current())
			yield()
			seen += current()
			withContext(Dispatchers.Default) {
				yield()
				seen += current()
				val context = coroutineContext[ReactorContext]!!.context
				seen += context.get<LockScope>(LockScope::class.java).leases()[0].key()
			}
			return seen
		}

		@DistributedLock("outer")
		open suspend fun callsAnother(): List<String> {
			val before = current()
			val inside = inner.locked()
			return listOf(before) + inside + current()
		}

		@DistributedLock("outer")
		open suspend fun lockedByTheRegistry(registry: LockRegistry): List<String> {
			val before = current()
			val inside = registry.withLockSuspending("registry") {
				withContext(Dispatchers.Default) {
					yield()
					listOf(current()) + inner.locked() + current()
				}
			}
			return listOf(before) + inside + current()
		}

		@DistributedLock("outer")
		@DistributedLock("inner")
		open suspend fun nested(): String {
			yield()
			return current()
		}

		@DistributedLock("k", fallback = "instead")
		open suspend fun withFallback(id: Int): String = "not this $id"

		@Suppress("unused")
		private suspend fun instead(id: Int, busy: LockNotAcquiredException): String {
			yield()
			return "fallback for $id: ${busy.key()}"
		}

		@DistributedLock("k")
		open suspend fun simple(id: Int): String = "run $id"

		@DistributedLock("k", onUnavailable = OnUnavailable.PROCEED)
		open suspend fun proceed(): String = "scope: " + LockScope.find().isPresent

		@DistributedLock("k", onLost = OnLost.FAIL)
		open suspend fun failOnLoss(lose: () -> Unit): String {
			lose()
			yield()
			return "done"
		}

		@DistributedLock("k", onLost = OnLost.INTERRUPT)
		open suspend fun interruptOnLoss(cancelled: CompletableDeferred<Unit>, lose: () -> Unit) {
			try {
				lose()
				awaitCancellation()
			}
			finally {
				cancelled.complete(Unit)
			}
		}

		@DistributedLock("flow")
		open fun flow(): Flow<String> {
			val key = current()
			return flow {
				emit(key)
				emit(key)
			}
		}

		@DistributedLock("k")
		open suspend fun suspendedFlow(): Flow<Int> {
			yield()
			return flowOf(1, 2)
		}

	}

	open class Inner {

		@DistributedLock("inner")
		open suspend fun locked(): List<String> {
			val before = current()
			yield()
			return listOf(before, current())
		}

	}

	open class SkipsNonNull {

		@DistributedLock("k", onBusy = OnBusy.SKIP)
		open suspend fun run(): String = ""

	}

	open class ReturnsFuture {

		@DistributedLock("k")
		open suspend fun run(): CompletableFuture<String> = CompletableFuture.completedFuture("")

	}

	open class ContainsSequence {

		@DistributedLock("k")
		open suspend fun run(): Map<String, Sequence<String>> = emptyMap()

	}

	open class BlockingFallback {

		@DistributedLock("k", fallback = "instead")
		open suspend fun run(): String = ""

		fun instead(): String = ""

	}

	companion object {

		private fun current(): String = LockScope.current().leases()[0].key()

	}

}
