package io.lockstarter.interceptor;

/**
 * Knows which types have a text that says the same for equal values.
 */
final class KeyText {

	private static final ClassValue<Boolean> STABLE = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				// Object.toString, which arrays have too, tells instances apart.
				return type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				throw new IllegalStateException(ex);
			}
		}

	};

	private KeyText() {
	}

	static boolean isStable(Class<?> type) {
		return type == String.class || STABLE.get(type);
	}

}
