// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.util.function.Supplier;

import io.lockstarter.LockException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.LockFailureHandler;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Handling of failed locks: as the annotation says, else by the handler of the
 * application, else by its caller.
 */
final class LockFailures {

	private static final Log logger = LogFactory.getLog(LockFailures.class);

	private final LimitedLog unlocked = LimitedLog.warnings(logger, "more calls ran WITHOUT THEIR LOCK");

	private final LimitedLog unobserved = LimitedLog.errors(logger, "more times an observer of locked methods failed");

	private final LockServices services;

	LockFailures(LockServices services) {
		this.services = services;
	}

	/**
	 * Return the result of a call whose lock was not acquired.
	 */
	@Nullable Object notAcquired(LockSpec spec, LockCall call, Throwable failure) throws Throwable {
		if (failure instanceof NoThreadException without) {
			throw without.failure();
		}
		if (failure instanceof LockNotAcquiredException busy) {
			BusyPolicy policy = spec.whenBusy();
			return (policy != null) ? policy.handle(call, busy) : handle(call, busy);
		}
		if (failure instanceof LockStoreException && spec.onUnavailable() == OnUnavailable.PROCEED) {
			this.unlocked.write(spec.subject().toString(),
					() -> "%s runs WITHOUT ITS LOCK, as onUnavailable = PROCEED asks for: %s".formatted(spec.subject(),
							failure.getMessage()));
			return call.run();
		}
		if (failure instanceof LockStoreException || failure instanceof LockLostException) {
			return handle(call, (LockException) failure);
		}
		throw failure;
	}

	/**
	 * Return the result of a call whose lock failed and whose annotation does not say
	 * what to do about it.
	 */
	@Nullable Object handle(LockCall call, LockException failure) throws Throwable {
		LockFailureHandler handler = this.services.failureHandler();
		if (handler == null) {
			throw failure;
		}
		return handler.handle(call.failed(), failure);
	}

	/**
	 * Call an observer. A method and the release of its lock do not depend on whether
	 * they can be observed: what it throws is logged.
	 * @return what it returned, if it did not fail
	 */
	<T> @Nullable T observe(Supplier<? extends @Nullable T> call) {
		try {
			return call.get();
		}
		catch (RuntimeException | Error ex) {
			this.unobserved.write(ex.getClass().getName(),
					() -> "An observer of locked methods failed; the method runs all the same", ex);
			return null;
		}
	}

	void observe(Runnable call) {
		observe(() -> {
			call.run();
			return null;
		});
	}

	/**
	 * Return whether the caller is to see a loss, rather than the result or failure of
	 * the method. A failure that it does not see is suppressed by the other.
	 * @param failure the failure of the method as it was thrown, if it failed
	 */
	static boolean prevails(LockLostException lost, @Nullable Throwable failure, OnLost onLost) {
		if (onLost == OnLost.REPORT) {
			return false;
		}
		if (failure == null || failure == lost) {
			return true;
		}
		if (onLost == OnLost.INTERRUPT) {
			lost.addSuppressed(failure);
			return true;
		}
		failure.addSuppressed(lost);
		return false;
	}

}
