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
