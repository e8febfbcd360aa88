package io.lockstarter.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.lockstarter.LockListener;

/**
 * Tells listeners, on their thread, and contains what they throw.
 */
final class Events {

	private static final Logger logger = System.getLogger(Events.class.getName());

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

	private static void contain(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException ex) {
			logger.log(Level.ERROR, "A lock listener failed", ex);
		}
	}

}
