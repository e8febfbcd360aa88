// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * What several actions threw, each of which is run whatever came of those before it. The
 * first failure is thrown in the end, with the others suppressed.
 */
final class Failures {

	private @Nullable Throwable first;

	/**
	 * Run an action for each of several, and throw the first failure when all are done.
	 */
	static <T> void forEach(Iterable<? extends T> all, Consumer<? super T> action) {
		Failures failures = new Failures();
		failures.collect(all, action);
		failures.throwFirst();
	}

	/**
	 * Run an action for each of several.
	 */
	<T> void collect(Iterable<? extends T> all, Consumer<? super T> action) {
		all.forEach((each) -> run(() -> action.accept(each)));
	}

	void run(Runnable action) {
		try {
			action.run();
		}
		catch (RuntimeException | Error ex) {
			add(ex);
		}
	}

	void add(Throwable failure) {
		this.first = of(this.first, failure);
	}

	void throwFirst() {
		throwIfAny(this.first);
	}

	/**
	 * Return what to throw after another failure.
	 * @param first what is to be thrown already, if anything
	 */
	static Throwable of(@Nullable Throwable first, Throwable next) {
		if (first == null) {
			return next;
		}
		if (first != next) {
			first.addSuppressed(next);
		}
		return first;
	}

	/**
	 * Throw what an action threw that may throw nothing checked.
	 */
	static void throwIfAny(@Nullable Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		if (failure instanceof RuntimeException unchecked) {
			throw unchecked;
		}
	}

}
