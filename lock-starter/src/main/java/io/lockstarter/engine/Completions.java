package io.lockstarter.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * Acts on the completion of a future, and logs what the action throws, which a future
 * would swallow.
 */
final class Completions {

	private static final Logger logger = System.getLogger(Completions.class.getName());

	private Completions() {
	}

	static <T extends @Nullable Object> void on(CompletableFuture<T> future,
			BiConsumer<@Nullable T, @Nullable Throwable> action) {
		var unused = future.whenComplete((value, failure) -> {
			try {
				action.accept(value, failure);
			}
			catch (RuntimeException | Error ex) {
				logger.log(Level.ERROR, "The completion of a lock command could not be handled", ex);
				throw ex;
			}
		});
	}

}
