// SPDX-License-Identifier: Apache-2.0
@file:JvmName("LockRegistryExtensions")

package io.lockstarter.kotlin

import java.util.concurrent.CompletableFuture

import io.lockstarter.Lease
import io.lockstarter.LockOptions
import io.lockstarter.LockRegistry
import io.lockstarter.LockScope
import io.lockstarter.LockedAction
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withContext

/**
 * Runs an action under the lock of a key, like [LockRegistry.call]: the lock belongs to the thread and is reentrant. The
 * thread waits for it; [withLockSuspending] is for coroutines. This function is not inline, so that the compiler refuses
 * calls of suspend functions in the action, which might go on on another thread.
 *
 * @param key what to lock, for example `stock:42`
 * @param options ttl, wait time and renewal
 * @param action what to run
 * @return the result of the action
 * @throws io.lockstarter.LockNotAcquiredException if the key stayed busy; the action did not run
 * @throws io.lockstarter.LockInterruptedException if interrupted while waiting; the action did not run
 * @throws io.lockstarter.LockStoreException if the store failed; the action did not run
 * @since 0.1
 */
public fun <T> LockRegistry.withLock(
	key: String,
	options: LockOptions = LockOptions.defaults(),
	action: (Lease) -> T
): T = call(key, options, LockedAction<T, RuntimeException> { scope -> action(scope.leases().first()) })

/**
 * Acquires a lease of a key, runs an action in this coroutine, and releases the lease when it has ended. No thread waits
 * for the lock or for its release. The lease belongs to the section, whatever threads it is resumed on, and is not
 * reentrant: nested in itself, it waits for itself. [LockScope.current] gives the action its lease on each of them.
 *
 * A coroutine that is cancelled while it waits gives up, and nothing stays acquired. One that is cancelled in the action
 * releases the lease before it ends.
 *
 * @param key what to lock, for example `stock:42`
 * @param options ttl, wait time and renewal
 * @param action what to run
 * @return the result of the action
 * @throws io.lockstarter.LockNotAcquiredException if the key stayed busy; the action did not run
 * @throws io.lockstarter.LockStoreException if the store failed; the action did not run
 * @since 0.1
 */
public suspend fun <T> LockRegistry.withLockSuspending(
	key: String,
	options: LockOptions = LockOptions.defaults(),
	action: suspend (Lease) -> T
): T {
	val lease = acquireAsync(key, options).awaitLease()
	try {
		val outer = currentCoroutineContext()[LockScopeElement]
		return withContext(LockScopeElement(LockScope.of(listOf(lease)), outer)) { action(lease) }
	}
	finally {
		lease.closeInAnyCase()
	}
}

private suspend fun CompletableFuture<Lease>.awaitLease(): Lease =
	try {
		await()
	}
	catch (ex: CancellationException) {
		// It may have been granted already, when this coroutine had not gone on yet.
		if (!cancel(false) && !isCompletedExceptionally) {
			join().closeInAnyCase()
		}
		throw ex
	}

private suspend fun Lease.closeInAnyCase() {
	withContext(NonCancellable) { closeAsync().await() }
}
