// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.observe;

import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.lockstarter.Lease;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.LockMonitor;
import io.lockstarter.interceptor.SectionObserver;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Observations of locks: one of each acquirer that waits, and one of what an annotated
 * method does under its lock.
 *
 * @since 0.1
 */
public final class LockObservations implements LockMonitor, SectionObserver {

	private static final Log logger = LogFactory.getLog(LockObservations.class);

	private final LockNames names = new LockNames();

	// Of whoever holds a lease, for as long as it is in use. An observation of a section
	// has its leases, which would never be forgotten otherwise.
	private final Map<Lease, WeakReference<Observation>> holders = Collections.synchronizedMap(new WeakHashMap<>());

	private final ObservationRegistry registry;

	private final @Nullable LockWaitObservationConvention wait;

	private final @Nullable LockSectionObservationConvention section;

	private final LockWaitObservationConvention defaultWait;

	private final LockSectionObservationConvention defaultSection;

	/**
	 * Create the observer.
	 * @param registry where observations are handled
	 * @param wait the convention for waiting; {@code null} for the default
	 * @param section the convention for sections; {@code null} for the default
	 * @param showKeys whether the default conventions show keys
	 */
	public LockObservations(ObservationRegistry registry, @Nullable LockWaitObservationConvention wait,
			@Nullable LockSectionObservationConvention section, boolean showKeys) {
		this.registry = registry;
		this.wait = wait;
		this.section = section;
		this.defaultWait = new DefaultLockWaitObservationConvention(showKeys);
		this.defaultSection = new DefaultLockSectionObservationConvention(showKeys);
	}

	@Override
	public @Nullable WaitObserver waiting(String key, String name) {
		if (this.registry.isNoop()) {
			return null;
		}
		LockWaitContext context = new LockWaitContext(key, this.names.of(name));
		Observation observation = Observation.createNotStarted(this.wait, this.defaultWait, () -> context,
				this.registry);
		if (observation.isNoop()) {
			return null;
		}
		Observation caller = this.registry.getCurrentObservation();
		observation.start();
		return (lease, failure) -> {
			if (lease != null && caller != null) {
				this.holders.put(lease, new WeakReference<>(caller));
			}
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
		Observation observation = Observation.createNotStarted(this.section, this.defaultSection,
				() -> new LockSectionContext(scope, this.names.of(scope.leases().get(0).name())), this.registry);
		if (observation.isNoop()) {
			return null;
		}
		if (context.apply(ObservationThreadLocalAccessor.KEY) instanceof Observation parent) {
			observation.parentObservation(parent);
		}
		WeakReference<Observation> holder = new WeakReference<>(observation);
		scope.leases().forEach((lease) -> this.holders.put(lease, holder));
		return new ObservedSection(observation.start());
	}

	/**
	 * Run an action about a lease in the observation of its holder, and so in its trace:
	 * that of the section, or the one in which the lease was acquired.
	 * @param lease the lease
	 * @param action what to run; in no observation if the one of the holder is not known,
	 * or cannot be entered any more
	 */
	public void runFor(LeaseInfo lease, Runnable action) {
		WeakReference<Observation> holder = this.holders.get(lease);
		Observation observation = (holder != null) ? holder.get() : null;
		Observation.Scope scope = (observation != null) ? enter(observation) : null;
		try {
			action.run();
		}
		finally {
			if (scope != null) {
				scope.close();
			}
		}
	}

	private Observation.@Nullable Scope enter(Observation observation) {
		Observation.Scope before = this.registry.getCurrentObservationScope();
		try {
			return observation.openScope();
		}
		catch (RuntimeException ex) {
			logger.debug("The observation of a lease cannot be entered", ex);
			this.registry.setCurrentObservationScope(before);
			return null;
		}
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
