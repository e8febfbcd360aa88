// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lockstarter.LockListener;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.SerialExecutor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls listeners and loss actions, and logs what they throw. A listener is called for
 * one event at a time, in their order; it waits neither for other listeners nor for loss
 * actions, nor do these wait for it.
 */
final class Events {

	private static final Log logger = LogFactory.getLog(Events.class);

	private static final long FLUSHED_WITHIN = TimeUnit.SECONDS.toNanos(1);

	private final LimitedLog failed;

	private final List<Told> listeners;

	private final Executor executor;

	private final Platform platform;

	Events(List<LockListener> listeners, Timing timing) {
		this.executor = timing.callbacks();
		this.listeners = listeners.stream().map(Told::new).toList();
		this.platform = timing.platform();
		this.failed = new LimitedLog(logger::error, "more times a lock listener failed", this.platform.logTimer());
	}

	void tell(Consumer<LockListener> event) {
		this.listeners.forEach((listener) -> listener.tell(event));
	}

	void run(Runnable action) {
		execute(this.executor, () -> contain(action));
	}

	/**
	 * Wait for up to a second until the listeners were called for everything up to now.
	 */
	void flush() {
		CompletableFuture<?> actions = CompletableFuture.runAsync(() -> {
		}, this.executor);
		CompletableFuture<?>[] all = Stream.concat(Stream.of(actions), this.listeners.stream().map(Told::flush))
			.toArray(CompletableFuture<?>[]::new);
		try {
			if (!this.platform.await(CompletableFuture.allOf(all), FLUSHED_WITHIN)) {
				logger.debug("Listeners are busy: they are told later, if at all");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Execute a task. Whoever tells has changed its state before, and goes on in any
	 * case.
	 */
	private void execute(Executor on, Runnable task) {
		try {
			on.execute(task);
		}
		catch (RuntimeException | Error ex) {
			this.failed.writeLater(ex.getClass().getName(), () -> "A lock listener cannot be called now", ex);
		}
	}

	private void contain(Runnable action) {
		contain(action, this.failed);
	}

	/**
	 * Run what others wrote, whatever it throws.
	 */
	static void contain(Runnable action, LimitedLog failed) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			failed.write(ex.getClass().getName(), () -> "A lock listener failed", ex);
		}
	}

	/**
	 * A listener, and what calls it.
	 */
	private final class Told {

		private final LockListener listener;

		private final Executor calls;

		Told(LockListener listener) {
			this.listener = listener;
			this.calls = new SerialExecutor(Events.this.executor, Integer.MAX_VALUE);
		}

		void tell(Consumer<LockListener> event) {
			execute(this.calls, () -> contain(() -> event.accept(this.listener)));
		}

		CompletableFuture<?> flush() {
			CompletableFuture<?> told = new CompletableFuture<>();
			tell((listener) -> told.complete(null));
			return told;
		}

	}

}
