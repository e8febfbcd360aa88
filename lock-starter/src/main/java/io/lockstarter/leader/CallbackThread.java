// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.leader;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The thread that calls the listeners of a role, one after the other. It is not one of
 * the registry, which these may keep for as long as they like, and ends when there is
 * nothing to do.
 */
final class CallbackThread {

	private CallbackThread() {
	}

	static Executor named(String name) {
		ClassLoader application = Thread.currentThread().getContextClassLoader();
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, name);
					thread.setDaemon(true);
					thread.setContextClassLoader(application);
					return thread;
				});
		executor.allowCoreThreadTimeOut(true);
		return executor;
	}

}
