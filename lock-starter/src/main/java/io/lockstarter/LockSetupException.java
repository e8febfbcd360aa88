// SPDX-License-Identifier: Apache-2.0
package io.lockstarter;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when an application cannot start with its locks as they are set up: because of
 * an annotation, a property, or the Redis that is available. The message says what is
 * wrong and what to do about it.
 *
 * @since 0.1
 */
public final class LockSetupException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	/**
	 * Create the exception.
	 * @param problem what is wrong, without a full stop
	 * @param remedy what to do about it, without a full stop
	 * @param cause what found it, if anything did
	 */
	public LockSetupException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem + ". " + remedy + ".", cause);
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Return what is wrong.
	 * @return the problem, without a full stop
	 */
	public String problem() {
		return this.problem;
	}

	/**
	 * Return what to do about it.
	 * @return the remedy, without a full stop
	 */
	public String remedy() {
		return this.remedy;
	}

}
