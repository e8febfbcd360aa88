// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.lockstarter.interceptor.async.AsyncExecutor;
import io.lockstarter.interceptor.async.AsyncMethods;
import io.lockstarter.interceptor.key.AnnotatedMethod;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * How each annotated method runs under its lock. Thread-safe.
 */
final class LockExecutions {

	private final LockExecution blocking;

	private final AsyncLockExecution.Support async;

	private final Map<AnnotatedMethod, LockExecution> executions = new ConcurrentHashMap<>();

	LockExecutions(LockServices services, @Nullable ClassLoader classLoader) {
		LockFailures failures = new LockFailures(services);
		Supplier<SectionObserver> sections = SingletonSupplier.of(services::sections);
		this.blocking = new BlockingLockExecution(failures, services.hasTransactions(), sections);
		this.async = new AsyncLockExecution.Support(failures, new AsyncExecutor(services::executor, classLoader),
				sections, services.hasTransactions());
	}

	LockExecution of(AnnotatedMethod subject) {
		LockExecution execution = this.executions.get(subject);
		return (execution != null) ? execution : this.executions.computeIfAbsent(subject, this::choose);
	}

	private LockExecution choose(AnnotatedMethod subject) {
		return switch (AsyncMethods.kindOf(subject)) {
			case BLOCKING -> this.blocking;
			case FUTURE -> new FutureLockExecution(this.async, AsyncMethods.hasThreadOfItsOwn(subject));
			case REACTIVE -> new ReactiveLockExecution(this.async, subject);
		};
	}

}
