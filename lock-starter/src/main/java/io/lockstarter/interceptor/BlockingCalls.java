package io.lockstarter.interceptor;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.function.Supplier;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.annotation.OnLost;
import io.lockstarter.annotation.OnUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are done when the method returns. The lock is held by the calling thread,
 * and reentrant.
 */
final class BlockingCalls implements CallStyle {

	private static final Logger logger = System.getLogger(BlockingCalls.class.getName());

	private final Supplier<? extends LockRegistry> registry;

	private final LockFailures failures;

	private final ReleaseTimes releaseTimes;

	BlockingCalls(Supplier<? extends LockRegistry> registry, LockFailures failures, ReleaseTimes releaseTimes) {
		this.registry = registry;
		this.failures = failures;
		this.releaseTimes = releaseTimes;
	}

	@Override
	public @Nullable Object run(LockSpec spec, LockCall call) throws Throwable {
		this.releaseTimes.check(spec.release());
		LeasedLock lock = lock(spec.keys().of(call.target(), call.arguments()), spec);
		try {
			lock.acquire();
		}
		catch (LockNotAcquiredException ex) {
			return spec.whenBusy().handle(call, ex, this.failures);
		}
		catch (LockStoreException ex) {
			return unavailable(spec, call, ex);
		}
		catch (LockLostException ex) {
			return this.failures.handle(call, ex);
		}
		catch (InterruptedException ex) {
			if (call.declares(InterruptedException.class)) {
				throw ex;
			}
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(lock.key(), ex);
		}
		return runLocked(spec, call, lock);
	}

	private LeasedLock lock(Collection<String> keys, LockSpec spec) {
		LockRegistry registry = this.registry.get();
		return (keys.size() == 1) ? registry.obtain(keys.iterator().next(), spec.options())
				: registry.obtainAll(keys, spec.options());
	}

	private @Nullable Object unavailable(LockSpec spec, LockCall call, LockStoreException failure) throws Throwable {
		if (spec.onUnavailable() == OnUnavailable.PROCEED) {
			logger.log(Level.WARNING, "%s runs WITHOUT ITS LOCK, as onUnavailable = PROCEED asks for: %s"
				.formatted(spec.subject(), failure.getMessage()));
			return call.run();
		}
		return this.failures.handle(call, failure);
	}

	private @Nullable Object runLocked(LockSpec spec, LockCall call, LeasedLock lock) throws Throwable {
		LockLostException lost = null;
		Throwable failure = null;
		Object result = null;
		boolean deferred = false;
		try {
			LockScope scope = LockScope.of(lock.leases());
			deferred = this.releaseTimes.defer(spec.release(), lock, scope);
			LossWatch watch = LossWatch.start(spec.onLost(), scope);
			try {
				result = scope.<@Nullable Object, Throwable>call(call);
			}
			finally {
				lost = watch.end();
			}
		}
		catch (Throwable ex) {
			failure = ex;
		}
		if (!deferred) {
			LockLostException late = unlock(lock);
			lost = (lost != null) ? lost : late;
		}
		return outcome(spec, call, result, failure, lost);
	}

	private static @Nullable LockLostException unlock(LeasedLock lock) {
		try {
			lock.unlock();
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

	private @Nullable Object outcome(LockSpec spec, LockCall call, @Nullable Object result, @Nullable Throwable failure,
			@Nullable LockLostException lost) throws Throwable {
		if (lost == null || spec.onLost() == OnLost.REPORT) {
			if (failure != null) {
				throw failure;
			}
			return result;
		}
		if (failure == null || spec.onLost() == OnLost.INTERRUPT) {
			if (failure != null && failure != lost) {
				lost.addSuppressed(failure);
			}
			return this.failures.handle(call, lost);
		}
		failure.addSuppressed(lost);
		throw failure;
	}

}
