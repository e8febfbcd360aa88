package io.lockstarter.autoconfigure;

/**
 * A property has a value that no registry could work with.
 */
final class InvalidLockPropertyException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String problem;

	private final String remedy;

	InvalidLockPropertyException(String property, Object value, String problem, String remedy) {
		this("Property 'distributed-lock.%s' is '%s', but %s".formatted(property, value, problem), remedy);
	}

	private InvalidLockPropertyException(String problem, String remedy) {
		super(problem + ". " + remedy + ".");
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
