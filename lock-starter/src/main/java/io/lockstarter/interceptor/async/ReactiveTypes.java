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
	 * Return the adapter of a type that is known to have one.
	 */
	static ReactiveAdapter get(Class<?> type) {
		ReactiveAdapter adapter = find(type);
		if (adapter == null) {
			throw new IllegalArgumentException("No reactive type: " + type);
		}
		return adapter;
	}

	/**
	 * Return whether a publisher of a type always has a value.
	 */
	static boolean neverEmpty(Class<?> type) {
		ReactiveAdapter adapter = find(type);
		return adapter != null && !adapter.supportsEmpty();
	}

}
