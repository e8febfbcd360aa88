package io.lockstarter.interceptor;

import java.util.function.Supplier;

import io.lockstarter.LockRegistry;

import org.springframework.util.function.SingletonSupplier;

/**
 * Knows in which style each method runs.
 */
final class CallStyles {

	private final CallStyle blocking;

	CallStyles(Supplier<? extends LockRegistry> registry, LockFailures failures, ReleaseTimes releaseTimes) {
		this.blocking = new BlockingCalls(SingletonSupplier.of(registry), failures, releaseTimes);
	}

	CallStyle of(LockedMethod subject) {
		return this.blocking;
	}

}
