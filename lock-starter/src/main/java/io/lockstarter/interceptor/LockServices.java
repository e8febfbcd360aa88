// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.lockstarter.LockRegistry;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.leader.LeaderElections;
import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * What annotated methods need of their application. Each is asked for when it is needed,
 * as beans are proxied before most others exist. Thread-safe.
 *
 * @since 0.1
 */
public interface LockServices {

	/**
	 * Return the registry that has the locks. Each call of an annotated method asks.
	 */
	LockRegistry registry();

	/**
	 * Return the elections of leaders. Asked when a method that only leaders run is
	 * found, and by each of its calls.
	 */
	LeaderElections elections();

	/**
	 * Return the handler of failed locks; {@code null} if there is none. Asked when a
	 * lock failed.
	 */
	@Nullable LockFailureHandler failureHandler();

	/**
	 * Return the executor on which asynchronous methods run when they have their lock.
	 * Asked once, by the first of them.
	 */
	Executor executor();

	/**
	 * Return the observer of what methods do under their lock. Asked once, by the first
	 * call of an annotated method.
	 */
	SectionObserver sections();

	/**
	 * Return whether there are transactions to whose end a lock can be held.
	 */
	default boolean hasTransactions() {
		return ClassUtils.isPresent("org.springframework.transaction.support.TransactionSynchronizationManager",
				LockServices.class.getClassLoader());
	}

	/**
	 * Return the ttl of the locks whose annotation has none; {@code null} if only the
	 * registry knows. Asked when an annotation is found for which that matters.
	 */
	@Nullable Duration defaultTtl();

	/**
	 * Resolve <code>${…}</code> in a text of an annotation.
	 * @throws IllegalArgumentException if a placeholder has neither a value nor a default
	 */
	String resolvePlaceholders(String text);

	/**
	 * Find mistakes that would be found out by the first call that needs an executor, or
	 * by the first busy key, and hide it from its caller. Called when all beans are made.
	 * @throws io.lockstarter.LockSetupException if there is one
	 */
	void check();

}
