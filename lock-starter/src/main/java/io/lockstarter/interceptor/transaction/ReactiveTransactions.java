package io.lockstarter.interceptor.transaction;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

/**
 * Strategy for finding the reactive transaction in which a call is subscribed to.
 */
public interface ReactiveTransactions {

	/**
	 * No transaction.
	 */
	Outer NONE = new Outer() {

		@Override
		public boolean isPresent() {
			return false;
		}

		@Override
		public void register(LockScope scope) {
			throw new IllegalStateException("There is no transaction");
		}

	};

	/**
	 * Return the strategy that fits the class path.
	 * @return a strategy that finds transactions if Spring's are there
	 */
	static ReactiveTransactions ofClassPath() {
		return ClassUtils.isPresent("org.springframework.transaction.reactive.TransactionSynchronizationManager",
				ReactiveTransactions.class.getClassLoader())
						? new SpringReactiveTransactions()
						: (phase) -> (phase != ReleasePhase.AFTER_TRANSACTION) ? Mono.just(NONE) : Mono
							.error(new IllegalStateException(
									"There are no transactions, as spring-tx is not on the class path: use release = AUTO"));
	}

	/**
	 * Return the transaction to whose end a lock is to be held.
	 * @param phase when to release
	 * @return the transaction, or {@link #NONE}; {@link IllegalStateException} if there
	 * should be one
	 */
	Mono<Outer> outer(ReleasePhase phase);

	/**
	 * A transaction, or none.
	 */
	interface Outer {

		/**
		 * Return whether there is a transaction.
		 * @return whether the call is made in one
		 */
		boolean isPresent();

		/**
		 * Check before the commit that everything is still locked, and release it when
		 * the transaction is completed.
		 * @param scope the leases
		 */
		void register(LockScope scope);

	}

}
