// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.transaction;

import java.util.function.Consumer;

import io.lockstarter.LockScope;
import io.lockstarter.annotation.ReleasePhase;
import reactor.core.publisher.Mono;

import org.springframework.util.ClassUtils;

/**
 * Strategy for finding the reactive transaction in which a call is subscribed to.
 *
 * @since 0.1
 */
@FunctionalInterface
public interface ReactiveTransactions {

	static ReactiveTransactions ofClassPath() {
		return ClassUtils.isPresent("org.springframework.transaction.reactive.TransactionSynchronizationManager",
				ReactiveTransactions.class.getClassLoader()) ? new SpringReactiveTransactions()
						: (phase) -> Mono.empty();
	}

	/**
	 * Find the transaction to whose end a lock is to be held.
	 * @return registers leases with the transaction, which checks them before it commits
	 * and releases them when it is completed; empty if there is no transaction,
	 * {@link IllegalStateException} if there should be one
	 */
	Mono<Consumer<LockScope>> find(ReleasePhase phase);

}
