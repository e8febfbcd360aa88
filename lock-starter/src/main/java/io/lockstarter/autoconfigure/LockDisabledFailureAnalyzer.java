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

import io.lockstarter.LockRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Analyzes a missing registry if {@code distributed-lock.enabled} is false. Ordered
 * before the analyzer that knows only of the missing bean.
 */
@Order(0)
final class LockDisabledFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final Environment environment;

	LockDisabledFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		if (cause.getBeanType() != LockRegistry.class || LockEnabled.in(this.environment)) {
			return null;
		}
		return new FailureAnalysis(
				"%s requires a LockRegistry, but there is none because 'distributed-lock.enabled' is false."
					.formatted((description != null) ? description : "A component"),
				"Inject ObjectProvider<LockRegistry> and do without one, define a LockRegistry bean, or leave locks "
						+ "enabled and set 'distributed-lock.store=memory' for locks without Redis.",
				cause);
	}

}
