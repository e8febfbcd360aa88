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
package io.lockstarter.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.lockstarter.LockListener;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls listeners, on their thread, and logs what they throw.
 */
final class Events {

	private static final Log logger = LogFactory.getLog(Events.class);

	private final LimitedLog failed = new LimitedLog(logger::error, "more times a lock listener failed");

	private final List<LockListener> listeners;

	private final Executor executor;

	Events(List<LockListener> listeners, Executor executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	void tell(Consumer<LockListener> event) {
		this.executor.execute(() -> this.listeners.forEach((listener) -> contain(() -> event.accept(listener))));
	}

	void run(Runnable action) {
		this.executor.execute(() -> contain(action));
	}

	/**
	 * Wait for up to a second until the listeners were called for everything up to now.
	 */
	void flush() {
		try {
			CompletableFuture.runAsync(() -> {
			}, this.executor).get(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("Listeners are busy: they are told later, if at all", ex);
		}
	}

	private void contain(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			this.failed.write(ex.getClass().getName(), () -> "A lock listener failed", ex);
		}
	}

}
