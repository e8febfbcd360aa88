// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import org.jspecify.annotations.Nullable;

/**
 * Part of a key that has a value of its own in each call.
 */
interface KeyPart {

	/**
	 * Return the value.
	 * @param refusal makes the exception if there is none
	 */
	@Nullable Object value(Object target, @Nullable Object[] arguments, KeyText.Refusal refusal);

	/**
	 * Return how messages call the part.
	 */
	String name();

	/**
	 * An argument, which needs no expression language.
	 */
	record Argument(int index, String name) implements KeyPart {

		@Override
		public @Nullable Object value(Object target, @Nullable Object[] arguments, KeyText.Refusal refusal) {
			return arguments[this.index];
		}

	}

}
