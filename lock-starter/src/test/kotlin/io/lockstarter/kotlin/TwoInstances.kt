// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.kotlin

import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList

import io.lockstarter.Lease
import io.lockstarter.LockMonitor
import io.lockstarter.LockOptions
import io.lockstarter.LockRegistry
import io.lockstarter.LockStoreException
import io.lockstarter.engine.DefaultLockRegistry
import io.lockstarter.engine.RegistrySettings
import io.lockstarter.memory.MemoryLockStore
import io.lockstarter.store.LockStore
import org.assertj.core.api.Assertions.assertThat

/**
 * An application and another instance, which share their locks.
 */
class TwoInstances : AutoCloseable {

	private val settings = RegistrySettings.defaults().withShutdownGrace(Duration.ZERO)

	private val store = MemoryLockStore()

	private val acquired = CopyOnWriteArrayList<Lease>()

	private val application = DefaultLockRegistry("application", store, settings, listOf(), listOf(object : LockMonitor {

		override fun acquired(lease: Lease, waited: Long, handedOn: Boolean) {
			acquired.add(lease)
		}

	}))

	private val other = DefaultLockRegistry("other", store, settings, listOf())

	/**
	 * The registry of the application.
	 */
	val registry: LockRegistry = application

	fun isHeld(key: String) = other.inspect(key).join().lock().isHeld

	/**
	 * The leases of the application, those that are released among them.
	 */
	fun acquired(key: String) = acquired.filter { it.key() == key }

	fun holdByOther(key: String): Lease = other.acquire(key, LockOptions.defaults())

	/**
	 * Let the application lose its lease to the other instance.
	 */
	fun takeOver(key: String): Lease {
		val lost = acquired(key).last()
		assertThat(store.release(LockStore.Release(key, "other", lost.ownerId(), false)).join()).isTrue()
		val taken = holdByOther(key)
		assertThat(lost.extend(lost.ttl())).isFalse()
		return taken
	}

	override fun close() {
		application.stop()
		other.stop()
	}

	/**
	 * A store that fails each acquisition.
	 */
	class Unavailable : LockStore by MemoryLockStore() {

		override fun acquire(command: LockStore.Acquire): CompletableFuture<LockStore.AcquireReply> =
			CompletableFuture.failedFuture(LockStoreException("unavailable", false, null))

	}

}
