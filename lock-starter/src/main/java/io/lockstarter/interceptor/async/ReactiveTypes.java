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
package io.lockstarter.interceptor.async;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Utility methods for types that can be converted to a publisher and back without
 * subscribing to it. Loaded only if Reactor is there.
 */
final class ReactiveTypes {

	private ReactiveTypes() {
	}

	/**
	 * Return the adapter of a declared type.
	 * @return the adapter; {@code null} if what it makes is not of that type
	 */
	static @Nullable ReactiveAdapter find(Class<?> type) {
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		boolean fits = adapter != null && adapter.getDescriptor().isDeferred()
				&& type.isAssignableFrom(adapter.getReactiveType());
		return fits ? adapter : null;
	}

	/**
	 * Return whether a publisher of a type always has a value.
	 */
	static boolean neverEmpty(Class<?> type) {
		ReactiveAdapter adapter = find(type);
		return adapter != null && !adapter.supportsEmpty();
	}

}
