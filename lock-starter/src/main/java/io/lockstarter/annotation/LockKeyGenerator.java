// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Strategy for generating the keys of a call where an expression does not suffice. A bean
 * of this type is named by {@link DistributedLock#keyGenerator()}. Implementations are
 * thread-safe.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface LockKeyGenerator {

	/**
	 * Return what to lock.
	 * @param target the object that is called
	 * @param method the method that is called, as the class of the target has it
	 * @param arguments the arguments of the call
	 * @return the key, or a collection or an array of keys that are taken all or none;
	 * each is text, or a value whose text is the same in every JVM
	 */
	Object generate(Object target, Method method, @Nullable Object... arguments);

}
