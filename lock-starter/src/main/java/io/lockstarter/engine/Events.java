package io.lockstarter.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.lockstarter.LockListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Calls listeners, on their thread, and logs what they throw.
 */
final class Events {

	private static final Log logger = LogFactory.getLog(Events.class);

	private final List<LockListener> listeners;

	private final Executor executor;

	Events(List<LockListener> listeners, Executor executor) {
		this.listeners = listeners;
		this.executor = executor;
	}

	void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners) {
			run(() -> event.accept(listener));
		}
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

	private static void contain(Runnable action) {
		try {
			action.run();
		}
		catch (Throwable ex) {
			logger.error("A lock listener failed", ex);
		}
	}

}
