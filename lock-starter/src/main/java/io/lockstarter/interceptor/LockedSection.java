// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.function.Function;

import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.interceptor.async.Leases;
import org.jspecify.annotations.Nullable;

/**
 * What runs under the leases of a call, whoever waits for its end. Its observer cannot
 * fail it.
 */
final class LockedSection {

	private final LockScope scope;

	private final LockFailures failures;

	private final SectionObserver.@Nullable Section observed;

	/**
	 * Create the section.
	 * @param context returns what the Reactor context of the call has for a key
	 */
	LockedSection(LockScope scope, LockFailures failures, SectionObserver observer,
			Function<Object, @Nullable Object> context) {
		this.scope = scope;
		this.failures = failures;
		this.observed = (observer != SectionObserver.NONE) ? failures.observe(() -> observer.begin(scope, context))
				: null;
	}

	boolean isObserved() {
		return this.observed != null;
	}

	/**
	 * Run what the calling thread does of the section.
	 */
	@Nullable Object run(Body body) throws Throwable {
		SectionObserver.Section observed = this.observed;
		Runnable close = (observed != null) ? this.failures.observe(observed::open) : null;
		try {
			return body.run(this.scope);
		}
		finally {
			if (close != null) {
				this.failures.observe(close);
			}
		}
	}

	/**
	 * Return what the Reactor context of the section has.
	 */
	Map<Object, Object> context() {
		Map<Object, Object> context = (this.observed != null) ? this.failures.observe(this.observed::context) : null;
		return (context != null) ? context : Map.of();
	}

	/**
	 * End the section.
	 * @param failure why it failed, as it was thrown; {@code null} if it did not
	 */
	void end(@Nullable Throwable failure) {
		SectionObserver.Section observed = this.observed;
		if (observed != null) {
			this.failures.observe(() -> observed.end(lossOr(failure)));
		}
	}

	private @Nullable Throwable lossOr(@Nullable Throwable failure) {
		LockLostException lost = (failure instanceof LockLostException) ? null : Leases.lossOf(this.scope);
		if (lost != null && failure != null) {
			lost.addSuppressed(failure);
		}
		return (lost != null) ? lost : failure;
	}

	/**
	 * What the calling thread does.
	 */
	@FunctionalInterface
	interface Body {

		@Nullable Object run(LockScope scope) throws Throwable;

	}

}
