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
		return Binder.get(environment).bind("distributed-lock.enabled", Boolean.class).orElse(true);
	}

	static final class Not extends LockEnabled {

		Not() {
			super(false);
		}

	}

}
