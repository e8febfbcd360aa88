// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

/**
 * Options for the validation of annotations. With each of them, a method with a mistake
 * never runs without its lock; and a mistake that no call could report, such as an
 * annotation on a private or final method, fails the start-up.
 *
 * @since 0.1
 */
public enum LockValidation {

	/**
	 * A mistake fails the creation of its bean, for most at start-up.
	 */
	FAIL,

	/**
	 * A mistake is logged when its bean is created, and fails each call of the method.
	 */
	WARN,

	/**
	 * An annotation is read by the first call of its method; a mistake fails each call.
	 */
	OFF

}
