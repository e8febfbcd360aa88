package io.lockstarter.interceptor;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.util.ObjectUtils;

/**
 * The key of a method: literal text, or text with parts that depend on the arguments.
 */
final class KeyExpression implements LockKeys {

	private final String text;

	private final List<Expression> parts;

	private final ArgumentNames names;

	private final LockedMethod subject;

	// Kept for the caches of its accessors.
	private final StandardEvaluationContext delegates = new StandardEvaluationContext();

	KeyExpression(String text, List<Expression> parts, ArgumentNames names, LockedMethod subject) {
		this.text = text;
		this.parts = parts;
		this.names = names;
		this.subject = subject;
	}

	@Override
	public Collection<String> of(LockCall call) {
		return List.of(evaluate(call.arguments()));
	}

	/**
	 * Evaluate the key of one call.
	 * @param arguments the arguments of the call
	 * @return the key, not blank
	 * @throws IllegalArgumentException if a part is nothing, or the key is blank
	 */
	String evaluate(@Nullable Object[] arguments) {
		if (this.parts.isEmpty()) {
			return this.text;
		}
		Arguments context = new Arguments(this.names, arguments);
		this.delegates.applyDelegatesTo(context);
		StringBuilder key = new StringBuilder();
		for (Expression part : this.parts) {
			key.append((part instanceof LiteralExpression) ? part.getExpressionString() : evaluate(part, context));
		}
		if (key.toString().isBlank()) {
			throw refusal("is blank", null);
		}
		return key.toString();
	}

	private String evaluate(Expression part, Arguments context) {
		Object value;
		try {
			value = ObjectUtils.unwrapOptional(part.getValue(context));
		}
		catch (EvaluationException ex) {
			throw refusal("cannot be evaluated: " + ex.getMessage(), ex);
		}
		String template = "#{" + part.getExpressionString() + "}";
		if (value == null) {
			throw refusal(template + " is null", null);
		}
		String unstable = KeyText.whyUnstable(value);
		if (unstable != null) {
			throw refusal(template + " " + unstable, null);
		}
		String result = value.toString();
		if (result.isEmpty()) {
			throw refusal(template + " is empty", null);
		}
		return result;
	}

	private IllegalArgumentException refusal(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException(
				"Key \"%s\" of @DistributedLock on %s cannot be locked: %s".formatted(this.text, this.subject, problem),
				cause);
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * Looks arguments up where they are, instead of copying them into variables.
	 */
	private static final class Arguments extends StandardEvaluationContext {

		private final ArgumentNames names;

		private final @Nullable Object[] values;

		Arguments(ArgumentNames names, @Nullable Object[] values) {
			this.names = names;
			this.values = values;
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer index = this.names.indexOf(name);
			return (index != null) ? this.values[index] : null;
		}

	}

}
