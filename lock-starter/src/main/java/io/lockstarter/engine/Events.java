// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.lockstarter.LockListener;
import io.lockstarter.log.LimitedLog;
import io.lockstarter.platform.Platform;
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
		this.listeners = listeners.stream().map(Told::new).toList();
		this.executor = timing.callbacks();
		this.platform = timing.platform();
		this.failed = new LimitedLog(logger::error, "more times a lock listener failed", this.platform.logTimer());
	}

	void tell(Consumer<LockListener> event) {
		this.listeners.forEach((listener) -> listener.tell(event));
	}

	void run(Runnable action) {
		execute(() -> contain(action));
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
	 * @return whether it is executed
	 */
	private boolean execute(Runnable task) {
		try {
			this.executor.execute(task);
			return true;
		}
		catch (RuntimeException | Error ex) {
			this.failed.writeLater(ex.getClass().getName(), () -> "A lock listener cannot be called now", ex);
			return false;
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
	 * A listener, and what it is to be told.
	 */
	private final class Told {

		private final LockListener listener;

		private final Queue<Consumer<LockListener>> events = new ConcurrentLinkedQueue<>();

		private final AtomicBoolean running = new AtomicBoolean();

		Told(LockListener listener) {
			this.listener = listener;
		}

		void tell(Consumer<LockListener> event) {
			this.events.add(event);
			tellNext();
		}

		CompletableFuture<?> flush() {
			CompletableFuture<?> told = new CompletableFuture<>();
			tell((listener) -> told.complete(null));
			return told;
		}

		/**
		 * Begin to call the listener, unless somebody does already. What could not be
		 * executed is told along with the next event.
		 */
		private void tellNext() {
			if (!this.events.isEmpty() && this.running.compareAndSet(false, true) && !execute(this::tellAll)) {
				this.running.set(false);
			}
		}

		private void tellAll() {
			try {
				for (Consumer<LockListener> event = this.events.poll(); event != null; event = this.events.poll()) {
					Consumer<LockListener> next = event;
					contain(() -> next.accept(this.listener));
				}
			}
			finally {
				// The log may throw.
				this.running.set(false);
			}
			tellNext();
		}

	}

}
