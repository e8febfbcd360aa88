// SPDX-License-Identifier: Apache-2.0
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
		if (cause.getBeanType() != LockRegistry.class || new LockEnabled().test(this.environment)) {
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
