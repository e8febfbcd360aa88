/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
