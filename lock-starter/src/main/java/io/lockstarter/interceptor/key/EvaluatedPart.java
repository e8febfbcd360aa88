// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor.key;

import org.jspecify.annotations.Nullable;

import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * {@link KeyPart} that the expression language evaluates.
 */
final class EvaluatedPart implements KeyPart {

	private final Expression expression;

	private final String name;

	private final KeyScope scope;

	// Kept for the caches of its accessors.
	private final StandardEvaluationContext delegates = new StandardEvaluationContext();

	EvaluatedPart(Expression expression, String name, KeyScope scope) {
		this.expression = expression;
		this.name = name;
		this.scope = scope;
		// Not the class loader of the thread that makes the first call.
		this.delegates.setTypeLocator(new StandardTypeLocator(scope.beans().getBeanClassLoader()));
		this.delegates.setBeanResolver(new BeanFactoryResolver(scope.beans()));
	}

	@Override
	public @Nullable Object value(Object target, @Nullable Object[] arguments, KeyText.Refusal refusal) {
		Context context = new Context(this.scope, target, arguments);
		this.delegates.applyDelegatesTo(context);
		try {
			return this.expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw refusal.because(this.name + " cannot be evaluated: " + ex.getMessage(), ex);
		}
	}

	@Override
	public String name() {
		return this.name;
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
