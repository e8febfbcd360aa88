// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.scenario;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Locale;

/**
 * The threads that lock.
 */
public enum ThreadKind {

	PLATFORM, VIRTUAL;

	/**
	 * Start a thread.
	 * @param task what it runs
	 * @return the thread
	 */
	public Thread start(Runnable task) {
		if (this == VIRTUAL) {
			return startVirtual(task);
		}
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/**
	 * Return the name in files.
	 * @return the id
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT);
	}

	// This is compiled for JDK 17, which has none.
	private static Thread startVirtual(Runnable task) {
		try {
			MethodHandle start = MethodHandles.publicLookup()
				.findStatic(Thread.class, "startVirtualThread", MethodType.methodType(Thread.class, Runnable.class));
			return (Thread) start.invoke(task);
		}
		catch (Throwable ex) {
			throw new IllegalStateException("Virtual threads need JDK 21 or newer", ex);
		}
	}

}
