package io.lockstarter.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * An annotation cannot be what its author meant.
 */
final class InvalidLockAnnotationException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	InvalidLockAnnotationException(String problem, String remedy, @Nullable Throwable cause) {
		super(problem + ". " + remedy + ".", cause);
		this.problem = problem;
		this.remedy = remedy;
	}

	String problem() {
		return this.problem;
	}

	String remedy() {
		return this.remedy;
	}

}
