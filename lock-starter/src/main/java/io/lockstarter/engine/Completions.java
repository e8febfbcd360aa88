package io.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Acts on the completion of a future, and logs what the action throws, which a future
 * would swallow.
 */
final class Completions {

	private static final Log logger = LogFactory.getLog(Completions.class);

	private Completions() {
	}

	static <T extends @Nullable Object> void on(CompletableFuture<T> future,
			BiConsumer<@Nullable T, @Nullable Throwable> action) {
		var unused = future.whenComplete((value, failure) -> {
			try {
				action.accept(value, failure);
			}
			catch (RuntimeException | Error ex) {
				logger.error("The completion of a lock command could not be handled", ex);
				throw ex;
			}
		});
	}

}
