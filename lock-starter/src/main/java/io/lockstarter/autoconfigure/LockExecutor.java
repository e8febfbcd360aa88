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
