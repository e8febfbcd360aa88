// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches unless {@code distributed-lock.enabled} is false. A value that
 * is no boolean fails the start-up: a typo must not disable locks.
 */
class LockEnabled extends SpringBootCondition {

	private static final String PROPERTY = "distributed-lock.enabled";

	private final boolean expected;

	LockEnabled() {
		this(true);
	}

	private LockEnabled(boolean expected) {
		this.expected = expected;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean enabled = in(context.getEnvironment());
		return new ConditionOutcome(enabled == this.expected,
				ConditionMessage.of("distributed-lock.enabled is " + enabled));
	}

	static boolean in(Environment environment) {
		// A binder costs much, and is asked for by each configuration.
		return !environment.containsProperty(PROPERTY)
				|| Binder.get(environment).bind(PROPERTY, Boolean.class).orElse(true);
	}

	/**
	 * The opposite. Boot's own condition would not match what the binder reads as false,
	 * such as {@code off}.
	 */
	static final class Not extends LockEnabled {

		Not() {
			super(false);
		}

	}

}
