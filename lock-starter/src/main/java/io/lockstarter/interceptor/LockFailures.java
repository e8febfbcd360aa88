package io.lockstarter.interceptor;

import java.util.function.Supplier;

import io.lockstarter.LockException;
import io.lockstarter.annotation.LockFailureHandler;
import org.jspecify.annotations.Nullable;

/**
 * Where failed locks go that the annotation has no answer for: to the handler of the
 * application, if it has one, or to the caller.
 */
final class LockFailures {

	private final Supplier<@Nullable LockFailureHandler> handler;

	LockFailures(Supplier<@Nullable LockFailureHandler> handler) {
		this.handler = handler;
	}

	@Nullable Object handle(LockCall call, LockException failure) throws Throwable {
		LockFailureHandler handler = this.handler.get();
		if (handler == null) {
			throw failure;
		}
		return handler.handle(call.failed(), failure);
	}

}
