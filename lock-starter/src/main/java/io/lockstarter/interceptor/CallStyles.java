package io.lockstarter.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lockstarter.interceptor.key.AnnotatedMethod;
import io.lockstarter.LockRegistry;

import org.springframework.util.function.SingletonSupplier;

/**
 * Knows in which style each method runs.
 */
final class CallStyles {

	private final CallStyle blocking;

	private final LaterLocks later;

	private final Map<AnnotatedMethod, CallStyle> styles = new ConcurrentHashMap<>();

	CallStyles(Supplier<? extends LockRegistry> registry, LockFailures failures, ReleaseTimes releaseTimes,
			LaterThreads threads) {
		Supplier<? extends LockRegistry> once = SingletonSupplier.of(registry);
		this.blocking = new BlockingCalls(once, failures, releaseTimes);
		this.later = new LaterLocks(once, failures, threads);
	}

	CallStyle of(AnnotatedMethod subject) {
		CallStyle style = this.styles.get(subject);
		return (style != null) ? style : this.styles.computeIfAbsent(subject, this::choose);
	}

	private CallStyle choose(AnnotatedMethod subject) {
		return switch (LaterResults.kindOf(subject)) {
			case RETURNED -> this.blocking;
			case FUTURE -> new FutureCalls(this.later, LaterResults.hasThreadOfItsOwn(subject));
			case PUBLISHER -> PublisherCalls.of(subject, this.later);
		};
	}

}
