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
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@link LockListener} that notifies the listener beans. They are looked up at the first
 * notification, as a listener may use the registry that it listens to. Frequent events
 * are left to {@link OfAllEvents}, so that nobody is told of them if no bean is
 * interested.
 */
class LockListeners implements LockListener {

	private static final Log logger = LogFactory.getLog(LockListeners.class);

	private final LimitedLog failed = new LimitedLog(logger::error, "more times a lock listener failed");

	private final Supplier<List<LockListener>> listeners;

	private final Supplier<LeaseContext> context;

	LockListeners(Supplier<List<LockListener>> listeners, Supplier<LeaseContext> context) {
		this.listeners = SingletonSupplier.of(listeners);
		this.context = SingletonSupplier.of(context);
	}

	/**
	 * Create a listener that is told of frequent events if one of the beans is to be.
	 * Their types are looked up now.
	 */
	static LockListeners of(ListableBeanFactory beans, Supplier<List<LockListener>> listeners,
			Supplier<LeaseContext> context) {
		boolean interested = Arrays.stream(beans.getBeanNamesForType(LockListener.class, true, false))
			.map((name) -> beans.getType(name, false))
			.anyMatch((type) -> type == null || type == LockListener.class || DefaultLockRegistry.tellsAllTo(type));
		return interested ? new OfAllEvents(listeners, context) : new LockListeners(listeners, context);
	}

	@Override
	public void lost(Lease lease, LossCause cause) {
		tell(lease, (listener) -> listener.lost(lease, cause));
	}

	@Override
	public void releaseUnconfirmed(Lease lease, LockStoreException failure) {
		tell(lease, (listener) -> listener.releaseUnconfirmed(lease, failure));
	}

	@Override
	public void abandoned(Lease lease) {
		tell(lease, (listener) -> listener.abandoned(lease));
	}

	@Override
	public void clockSetBack(String key, Duration remaining, Duration setBack) {
		tell((listener) -> listener.clockSetBack(key, remaining, setBack));
	}

	final void tell(Lease lease, Consumer<LockListener> event) {
		LeaseMdc.run(lease, () -> this.context.get().run(lease, () -> tell(event)));
	}

	final void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners.get()) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				this.failed.write(listener.getClass().getName(),
						() -> "A lock listener failed; the others are notified all the same: " + listener, ex);
			}
		}
	}

	/**
	 * Notifies the beans of frequent events, too.
	 */
	static final class OfAllEvents extends LockListeners {

		OfAllEvents(Supplier<List<LockListener>> listeners, Supplier<LeaseContext> context) {
			super(listeners, context);
		}

		@Override
		public void acquired(Lease lease, Duration waited) {
			tell(lease, (listener) -> listener.acquired(lease, waited));
		}

		@Override
		public void busy(String key, String name, Duration waited, @Nullable String holder) {
			tell((listener) -> listener.busy(key, name, waited, holder));
		}

		@Override
		public void released(Lease lease, Duration held) {
			tell(lease, (listener) -> listener.released(lease, held));
		}

	}

}
