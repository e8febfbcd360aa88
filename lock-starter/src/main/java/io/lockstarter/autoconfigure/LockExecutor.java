// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.lockstarter.LockSetupException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Finds the executor for asynchronous methods: the bean that
 * {@code distributed-lock.executor} names, or that of Spring Boot, or else the default of
 * {@link CompletableFuture}.
 */
final class LockExecutor {

	private static final String OF_BOOT = "applicationTaskExecutor";

	private LockExecutor() {
	}

	static Executor find(BeanFactory beans, Environment environment) {
		String name = name(environment);
		if (name != null) {
			return beans.getBean(name, Executor.class);
		}
		if (beans.containsBean(OF_BOOT) && beans.isTypeMatch(OF_BOOT, Executor.class)) {
			return beans.getBean(OF_BOOT, Executor.class);
		}
		return (task) -> {
			var unused = CompletableFuture.runAsync(task);
		};
	}

	static void check(BeanFactory beans, Environment environment) {
		String name = name(environment);
		if (name != null && !(beans.containsBean(name) && beans.isTypeMatch(name, Executor.class))) {
			throw new LockSetupException(
					"Property 'distributed-lock.executor' is '%s', but there is no Executor bean of that name"
						.formatted(name),
					"Define the bean, name another, or leave the property out for '" + OF_BOOT + "'", null);
		}
	}

	private static @Nullable String name(Environment environment) {
		return Binder.get(environment).bind("distributed-lock.executor", String.class).orElse(null);
	}

}
