package io.lockstarter.interceptor;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

/**
 * Knows the transaction in whose publisher a call is subscribed to.
 */
interface ReactiveTransactions {

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
	 * Return what fits the class path.
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
		 */
		boolean isPresent();

		/**
		 * Check before the commit that everything is still locked, and release it when
		 * the transaction is completed.
		 */
		void register(LockScope scope);

	}

}
