// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.kotlin

import io.lockstarter.LockScope
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlinx.coroutines.ThreadContextElement

/**
 * Makes the lease of a section the current [LockScope] on each thread that the section is resumed on, inside those of the
 * sections around it.
 */
internal class LockScopeElement(private val scope: LockScope, private val outer: LockScopeElement?) :
	AbstractCoroutineContextElement(Key), ThreadContextElement<LockScope.Binding> {

	override fun updateThreadContext(context: CoroutineContext): LockScope.Binding = bind()

	override fun restoreThreadContext(context: CoroutineContext, oldState: LockScope.Binding) {
		oldState.close()
	}

	// Closing the outermost binding ends those inside it too.
	private fun bind(): LockScope.Binding {
		val outermost = outer?.bind()
		val own = scope.bind()
		return outermost ?: own
	}

	companion object Key : CoroutineContext.Key<LockScopeElement>

}
