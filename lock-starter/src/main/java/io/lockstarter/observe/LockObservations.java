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
package io.lockstarter.observe;

import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.lockstarter.Lease;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.engine.LockMonitor;
import io.lockstarter.interceptor.SectionObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Observations of locks: one of each acquirer that waits, and one of what an annotated
 * method does under its lock.
 *
 * @since 0.1
 */
public final class LockObservations implements LockMonitor, SectionObserver {

	private static final LockWaitObservationConvention WAIT = new DefaultLockWaitObservationConvention();

	private static final LockSectionObservationConvention SECTION = new DefaultLockSectionObservationConvention();

	private final LockNames names = new LockNames();

	private final ObservationRegistry registry;

	private final @Nullable LockWaitObservationConvention wait;

	private final @Nullable LockSectionObservationConvention section;

	/**
	 * Create the observer.
	 * @param registry where observations are handled
	 * @param wait the convention for waiting; {@code null} for the default
	 * @param section the convention for sections; {@code null} for the default
	 */
	public LockObservations(ObservationRegistry registry, @Nullable LockWaitObservationConvention wait,
			@Nullable LockSectionObservationConvention section) {
		this.registry = registry;
		this.wait = wait;
		this.section = section;
	}

	@Override
	public @Nullable WaitObserver waiting(String key, String name) {
		if (this.registry.isNoop()) {
			return null;
		}
		LockWaitContext context = new LockWaitContext(key, this.names.of(name));
		Observation observation = Observation.createNotStarted(this.wait, WAIT, () -> context, this.registry);
		if (observation.isNoop()) {
			return null;
		}
		observation.start();
		return (lease, failure) -> {
			context.ended(lease, outcome(lease, failure));
			if (context.outcome().equals("unavailable") && failure != null) {
				observation.error(failure);
			}
			observation.stop();
		};
	}

	@Override
	public SectionObserver.@Nullable Section begin(LockScope scope, Function<Object, @Nullable Object> context) {
		if (this.registry.isNoop()) {
			return null;
		}
		Observation observation = Observation.createNotStarted(this.section, SECTION,
				() -> new LockSectionContext(scope, this.names.of(scope.leases().get(0).name())), this.registry);
		if (observation.isNoop()) {
			return null;
		}
		if (context.apply(ObservationThreadLocalAccessor.KEY) instanceof Observation parent) {
			observation.parentObservation(parent);
		}
		return new ObservedSection(observation.start());
	}

	private static String outcome(@Nullable Lease lease, @Nullable Throwable failure) {
		if (lease != null) {
			return "acquired";
		}
		if (failure == null || failure instanceof LockNotAcquiredException) {
			return "busy";
		}
		boolean interrupted = failure instanceof InterruptedException || failure instanceof CancellationException
				|| failure instanceof LockInterruptedException;
		return interrupted ? "interrupted" : "unavailable";
	}

	private static final class ObservedSection implements Section {

		private final AtomicBoolean ended = new AtomicBoolean();

		private final Observation observation;

		ObservedSection(Observation observation) {
			this.observation = observation;
		}

		@Override
		public Runnable open() {
			return this.observation.openScope()::close;
		}

		@Override
		public Map<Object, Object> context() {
			return Map.of(ObservationThreadLocalAccessor.KEY, this.observation);
		}

		@Override
		public void end(@Nullable Throwable failure) {
			if (this.ended.compareAndSet(false, true)) {
				if (failure != null) {
					this.observation.error(failure);
				}
				this.observation.stop();
			}
		}

	}

}
