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
package io.lockstarter.interceptor;

import java.util.Collection;
import java.util.function.Supplier;

import io.lockstarter.LeasedLock;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.interceptor.transaction.ReleaseStrategy;
import org.jspecify.annotations.Nullable;

/**
 * {@link LockExecution} of methods whose work is done when they return. The lock is held
 * by the calling thread, and reentrant.
 */
record BlockingLockExecution(Supplier<? extends LockRegistry> registry, LockFailures failures,
		ReleaseStrategy releaseStrategy, Supplier<SectionObserver> sections) implements LockExecution {

	@Override
	public @Nullable Object run(LockSpec spec, LockCall call) throws Throwable {
		this.releaseStrategy.check(spec.releasePhase());
		LeasedLock lock = lock(spec.keys().of(call.target(), call.arguments()), spec);
		try {
			lock.acquire();
		}
		catch (LockNotAcquiredException | LockStoreException | LockLostException ex) {
			return this.failures.notAcquired(spec, call, ex);
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

	private @Nullable Object runLocked(LockSpec spec, LockCall call, LeasedLock lock) throws Throwable {
		LockLostException lost = null;
		Throwable failure = null;
		Object result = null;
		boolean deferred = false;
		try {
			LockScope scope = LockScope.of(lock.leases());
			deferred = this.releaseStrategy.defer(spec.releasePhase(), lock, scope);
			LossWatch watch = LossWatch.start(spec.onLost(), scope);
			try {
				result = runObserved(call, scope);
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
		if (lost != null && LockFailures.prevails(lost, failure, spec.onLost())) {
			return this.failures.handle(call, lost);
		}
		if (failure != null) {
			throw failure;
		}
		return result;
	}

	private @Nullable Object runObserved(LockCall call, LockScope scope) throws Throwable {
		SectionObserver.Section section = this.sections.get().begin(scope, (key) -> null);
		if (section == null) {
			return call.run(scope);
		}
		Throwable failure = null;
		Runnable close = section.open();
		try {
			return call.run(scope);
		}
		catch (Throwable ex) {
			failure = ex;
			throw ex;
		}
		finally {
			close.run();
			section.end(failure);
		}
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

}
