// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.function.Predicate;

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
class LockEnabled extends SpringBootCondition implements Predicate<Environment> {

	private static final String PROPERTY = "distributed-lock.enabled";

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean enabled = test(context.getEnvironment());
		return new ConditionOutcome(isMatch(enabled), ConditionMessage.of("distributed-lock.enabled is " + enabled));
	}

	boolean isMatch(boolean enabled) {
		return enabled;
	}

	/**
	 * Return whether locks are enabled in an environment.
	 */
	@Override
	public boolean test(Environment environment) {
		// A binder costs much, and is asked for by each configuration.
		return !environment.containsProperty(PROPERTY)
				|| Binder.get(environment).bind(PROPERTY, Boolean.class).orElse(true);
	}

	/**
	 * The opposite. Boot's own condition would not match what the binder reads as false,
	 * such as {@code off}.
	 */
	static final class Not extends LockEnabled {

		@Override
		boolean isMatch(boolean enabled) {
			return !enabled;
		}

	}

}
