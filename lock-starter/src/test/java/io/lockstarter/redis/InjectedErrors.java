// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Errors at some of the calls of what a store runs on, as if there were no memory.
 */
public final class InjectedErrors {

	private int left;

	private int length;

	private boolean active;

	/**
	 * Begin to count calls anew.
	 * @param first how many calls succeed before the first that fails
	 * @param number how many fail, one after the other
	 */
	public void begin(int first, int number) {
		this.left = first;
		this.length = number;
		this.active = true;
	}

	/**
	 * Let all calls succeed from now on.
	 */
	public void end() {
		this.active = false;
	}

	/**
	 * Return whether there was any error.
	 */
	public boolean reached() {
		return this.left < 0;
	}

	/**
	 * Run a step that may end with such an error, which is somebody else's.
	 */
	public static void tried(Runnable step) {
		try {
			step.run();
		}
		catch (Injected ex) {
			// Who is tested here goes on.
		}
	}

	/**
	 * Return a target some of whose calls fail.
	 */
	public <T> T in(Class<T> type, T target) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, arguments) -> {
				if (this.active && this.left-- <= 0 && this.left >= -this.length) {
					throw new Injected();
				}
				try {
					return method.invoke(target, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

	/**
	 * An error as any other, such as that there is no memory.
	 */
	public static final class Injected extends Error {

		private static final long serialVersionUID = 1L;

		Injected() {
			super("injected", null, false, false);
		}

	}

}
