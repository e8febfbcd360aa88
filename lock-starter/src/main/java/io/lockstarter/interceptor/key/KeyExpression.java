// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * {@link LockKeys} of one text: literal, or with expressions over the call. An expression
 * that returns a collection or an array creates a key for each element.
 */
final class KeyExpression implements LockKeys {

	private final String text;

	private final List<Expression> parts;

	private final KeyScope scope;

	// Kept for the caches of its accessors.
	private final StandardEvaluationContext delegates = new StandardEvaluationContext();

	/**
	 * Create the expression.
	 * @param parts its parts; empty if all of it is literal
	 */
	KeyExpression(String text, List<Expression> parts, KeyScope scope) {
		this.text = text;
		this.parts = parts;
		this.scope = scope;
		this.delegates.setTypeLocator(scope.beans().types());
	}

	@Override
	public Collection<String> of(Object target, @Nullable Object[] arguments) {
		if (this.parts.isEmpty()) {
			return List.of(this.text);
		}
		Context context = new Context(this.scope, target, arguments);
		this.delegates.applyDelegatesTo(context);
		context.setBeanResolver(this.scope.beans().resolver());
		StringBuilder key = new StringBuilder();
		KeyText elements = null;
		int position = 0;
		for (Expression part : this.parts) {
			if (part instanceof LiteralExpression) {
				key.append(part.getExpressionString());
				continue;
			}
			KeyText value = evaluate(part, context);
			if (!value.several()) {
				key.append(value.texts().get(0));
			}
			else if (elements == null) {
				elements = value;
				position = key.length();
			}
			else {
				throw refusal(name(part) + " is a second collection: write a key for each", null);
			}
		}
		return (elements == null) ? List.of(check(key.toString())) : expand(key, position, elements);
	}

	private List<String> expand(StringBuilder key, int position, KeyText elements) {
		String before = key.substring(0, position);
		String after = key.substring(position);
		return elements.texts().stream().map((element) -> check(before + element + after)).toList();
	}

	private String check(String key) {
		if (key.isBlank()) {
			throw refusal("it is blank", null);
		}
		return key;
	}

	private KeyText evaluate(Expression part, Context context) {
		Object value;
		try {
			value = part.getValue(context);
		}
		catch (EvaluationException ex) {
			throw refusal(name(part) + " cannot be evaluated: " + ex.getMessage(), ex);
		}
		return KeyText.of(value, name(part), this::refusal);
	}

	private String name(Expression part) {
		String expression = part.getExpressionString();
		return expression.equals(this.text) ? expression : "#{" + expression + "}";
	}

	private IllegalArgumentException refusal(String problem, @Nullable Throwable cause) {
		return new IllegalArgumentException("Key \"%s\" of @DistributedLock on %s cannot be locked: %s"
			.formatted(this.text, this.scope.subject(), problem), cause);
	}

	/**
	 * Looks arguments up where they are, instead of copying them into variables.
	 */
	private static final class Context extends StandardEvaluationContext {

		private final ArgumentNames names;

		private final @Nullable Object[] values;

		Context(KeyScope scope, Object target, @Nullable Object[] arguments) {
			super(new KeyRoot(scope.subject(), target, arguments));
			this.names = scope.names();
			this.values = arguments;
		}

		@Override
		public boolean isAssignmentEnabled() {
			return false;
		}

		@Override
		public @Nullable Object lookupVariable(String name) {
			Integer index = this.names.indexOf(name);
			return (index != null) ? this.values[index] : null;
		}

	}

}
