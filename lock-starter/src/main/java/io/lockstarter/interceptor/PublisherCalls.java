package io.lockstarter.interceptor;

import io.lockstarter.interceptor.key.AnnotatedMethod;

import reactor.core.publisher.Flux;

/**
 * Calls whose result is a publisher. Each subscription is a call of its own: it acquires
 * the leases, invokes the method, and holds the leases until the publisher that the
 * method returned has completed, failed or was cancelled. Loaded only if Reactor is
 * there.
 */
final class PublisherCalls implements CallStyle {

	private final LaterLocks locks;

	private final ReactiveTransactions transactions;

	private final PublisherType type;

	PublisherCalls(LaterLocks locks, ReactiveTransactions transactions, PublisherType type) {
		this.locks = locks;
		this.transactions = transactions;
		this.type = type;
	}

	/**
	 * Choose the style of a method.
	 */
	static PublisherCalls of(AnnotatedMethod subject, LaterLocks locks) {
		PublisherType type = LaterResults.isSuspending(subject) ? new SuspendFunction(subject)
				: new PublisherType.Adapted(subject, ReactiveTypes.get(LaterResults.resultType(subject)));
		return new PublisherCalls(locks, ReactiveTransactions.ofClassPath(), type);
	}

	@Override
	public Object run(LockSpec spec, LockCall call) {
		return this.type
			.restore(Flux.defer(() -> new PublisherCall(this.locks, this.transactions, this.type, spec, call).run()));
	}

	@Override
	public boolean runsLater() {
		return true;
	}

}
