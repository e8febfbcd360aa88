// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.function.Consumer;

import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;
import io.lockstarter.interceptor.async.Leases;
import reactor.core.publisher.Mono;

import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;

/**
 * Utility methods for the reactive transaction in which a call is subscribed to, found in
 * the context of the subscriber. Loaded only if there are transactions on the class path.
 *
 * @since 0.1
 */
public final class ReactiveTransactions {

	private ReactiveTransactions() {
	}

	/**
	 * Find the transaction to whose end a lock is to be held.
	 * @return registers leases with the transaction, which checks them before it commits
	 * and releases them when it is completed; empty if there is no transaction,
	 * {@link IllegalStateException} if there should be one
	 */
	public static Mono<Consumer<LockScope>> find(ReleasePhase phase) {
		if (phase == ReleasePhase.AFTER_METHOD) {
			return Mono.empty();
		}
		Mono<Consumer<LockScope>> found = TransactionSynchronizationManager.forCurrentTransaction()
			.filter((manager) -> manager.isSynchronizationActive() && manager.isActualTransactionActive())
			.<Consumer<LockScope>>map(
					(manager) -> (scope) -> manager.registerSynchronization(new Release(manager, scope)))
			.onErrorResume(NoTransactionException.class, (ex) -> Mono.empty());
		return (phase == ReleasePhase.AFTER_TRANSACTION) ? found.switchIfEmpty(Mono.error(ReactiveTransactions::none))
				: found;
	}

	private static IllegalStateException none() {
		return new IllegalStateException("releasePhase = AFTER_TRANSACTION, but the call is not made in a reactive "
				+ "transaction: use AUTO, also if the method is @Transactional itself, as its lock is around that "
				+ "transaction");
	}

	/**
	 * Comes after the other callbacks, as they may still work on what the lock protects.
	 * Those of one order run in the order in which they were registered, and most have
	 * the lowest one: so it goes to the end of the queue right before the completion.
	 */
	private static final class Release implements TransactionSynchronization {

		private final TransactionSynchronizationManager manager;

		private final LockScope scope;

		private volatile boolean handedOn;

		Release(TransactionSynchronizationManager manager, LockScope scope) {
			this.manager = manager;
			this.scope = scope;
		}

		@Override
		public Mono<Void> beforeCommit(boolean readOnly) {
			return Mono.defer(() -> {
				// Not that it is released: a call may have been cancelled before it
				// began.
				LockLostException lost = Leases.lossOf(this.scope);
				return (lost != null) ? Mono.error(lost) : Mono.empty();
			});
		}

		@Override
		public Mono<Void> beforeCompletion() {
			return Mono.fromRunnable(() -> {
				this.manager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public Mono<Void> afterCompletion(int status) {
						return release();
					}

				});
				this.handedOn = true;
			});
		}

		@Override
		public Mono<Void> afterCompletion(int status) {
			return this.handedOn ? Mono.empty() : release();
		}

		private Mono<Void> release() {
			return Mono.fromFuture(() -> Leases.release(this.scope.leases()), true);
		}

	}

}
