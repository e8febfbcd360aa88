// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.LockLostException;
import io.lockstarter.LockScope;
import io.lockstarter.interceptor.async.Leases;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs what an observer throws, and goes on without it: a method and the release of its
 * lock do not depend on whether they can be observed.
 */
final class ContainedSectionObserver implements SectionObserver {

	private final LimitedLog failed = new LimitedLog(LogFactory.getLog(ContainedSectionObserver.class)::error,
			"more times an observer of locked methods failed");

	private final SectionObserver delegate;

	private ContainedSectionObserver(SectionObserver delegate) {
		this.delegate = delegate;
	}

	static SectionObserver of(SectionObserver delegate) {
		return (delegate == NONE) ? NONE : new ContainedSectionObserver(delegate);
	}

	@Override
	public @Nullable Section begin(LockScope scope, Function<Object, @Nullable Object> context) {
		try {
			Section section = this.delegate.begin(scope, context);
			return (section != null) ? new ContainedSection(section, scope) : null;
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
			return null;
		}
	}

	private void failed(Throwable ex) {
		this.failed.write(ex.getClass().getName(),
				() -> "An observer of locked methods failed; the method runs all the same", ex);
	}

	private <T> T contain(Supplier<T> call, T otherwise) {
		try {
			return call.get();
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
			return otherwise;
		}
	}

	private void contain(Runnable call) {
		contain(() -> {
			call.run();
			return true;
		}, false);
	}

	private final class ContainedSection implements Section {

		private final Section section;

		private final LockScope scope;

		ContainedSection(Section section, LockScope scope) {
			this.section = section;
			this.scope = scope;
		}

		@Override
		public Runnable open() {
			Runnable close = contain(this.section::open, () -> {
			});
			return () -> contain(close);
		}

		@Override
		public Map<Object, Object> context() {
			return contain(this.section::context, Map.of());
		}

		@Override
		public void end(@Nullable Throwable failure) {
			contain(() -> this.section.end(lossOr(failure)));
		}

		private @Nullable Throwable lossOr(@Nullable Throwable failure) {
			LockLostException lost = (failure instanceof LockLostException) ? null : Leases.lossOf(this.scope);
			if (lost != null && failure != null) {
				lost.addSuppressed(failure);
			}
			return (lost != null) ? lost : failure;
		}

	}

}
