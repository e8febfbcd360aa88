package io.lockstarter.interceptor;

import java.util.Collection;

/**
 * What to lock in each call of a method. Thread-safe.
 */
interface LockKeys {

	/**
	 * Return the keys of a call.
	 * @param call the call
	 * @return the keys, one at least, each not blank
	 * @throws IllegalArgumentException if there is no usable key
	 */
	Collection<String> of(LockCall call);

}
