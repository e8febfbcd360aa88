/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
