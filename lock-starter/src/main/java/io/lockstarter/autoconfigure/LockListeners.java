// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.lockstarter.LockBusyEvent;
import io.lockstarter.LeaseInfo;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import io.lockstarter.engine.DefaultLockRegistry;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * The listeners of the registry, which stand for the listener beans. The beans are looked
 * up at the first notification, as a listener may use the registry that it listens to.
 * Each bean has a listener of its own, as the registry makes only that one wait.
 */
final class LockListeners {

	private static final Log logger = LogFactory.getLog(LockListeners.class);

	private final LimitedLog failed = LimitedLog.errors(logger, "more times a lock listener failed");

	private final ListableBeanFactory factory;

	private @Nullable List<LockListener> beans;

	private @Nullable LeaseContext context;

	LockListeners(ListableBeanFactory factory) {
		this.factory = factory;
	}

	/**
	 * Create one listener for each bean that is defined, in the order of the beans, and
	 * one for any that are defined later. One more is told of frequent events if one of
	 * the beans is to be, so that these cost nothing otherwise. The types of the beans
	 * are looked up now.
	 */
	List<LockListener> all() {
		String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.factory, LockListener.class, true,
				false);
		boolean interested = false;
		for (String name : names) {
			Class<?> type = this.factory.getType(name, false);
			interested = interested || type == null || type == LockListener.class
					|| DefaultLockRegistry.tellsAllTo(type);
		}
		return of(names.length, interested);
	}

	List<LockListener> of(int defined, boolean interested) {
		List<LockListener> all = new ArrayList<>();
		for (int i = 0; i < defined; i++) {
			all.add(new OfRareEvents(i, 1));
		}
		all.add(new OfRareEvents(defined, Integer.MAX_VALUE));
		if (interested) {
			all.add(new OfFrequentEvents());
		}
		return all;
	}

	private synchronized List<LockListener> beans() {
		if (this.beans == null) {
			this.beans = this.factory.getBeanProvider(LockListener.class).orderedStream().toList();
		}
		return this.beans;
	}

	private synchronized LeaseContext context() {
		if (this.context == null) {
			this.context = this.factory.getBeanProvider(LeaseContext.class).getIfAvailable(() -> LeaseContext.NONE);
		}
		return this.context;
	}

	private void tell(LeaseInfo lease, int first, int count, Consumer<LockListener> event) {
		LeaseMdc.run(lease, () -> context().run(lease, () -> tell(first, count, event)));
	}

	private void tell(int first, int count, Consumer<LockListener> event) {
		beans().stream().skip(first).limit(count).forEach((listener) -> {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				this.failed.write(listener.getClass().getName(),
						() -> "A lock listener failed; the others are notified all the same: " + listener, ex);
			}
		});
	}

	/**
	 * Notifies some of the beans of what is rare.
	 */
	private final class OfRareEvents implements LockListener {

		private final int first;

		private final int count;

		OfRareEvents(int first, int count) {
			this.first = first;
			this.count = count;
		}

		@Override
		public void lost(LeaseInfo lease, LossCause cause) {
			tell(lease, this.first, this.count, (listener) -> listener.lost(lease, cause));
		}

		@Override
		public void releaseUnconfirmed(LeaseInfo lease, LockStoreException failure) {
			tell(lease, this.first, this.count, (listener) -> listener.releaseUnconfirmed(lease, failure));
		}

		@Override
		public void abandoned(LeaseInfo lease) {
			tell(lease, this.first, this.count, (listener) -> listener.abandoned(lease));
		}

		@Override
		public void clockSetBack(String key, Duration remaining, Duration setBack) {
			tell(this.first, this.count, (listener) -> listener.clockSetBack(key, remaining, setBack));
		}

	}

	/**
	 * Notifies all beans of frequent events, one after the other.
	 */
	private final class OfFrequentEvents implements LockListener {

		@Override
		public void acquired(LeaseInfo lease, Duration waited) {
			tell(lease, 0, Integer.MAX_VALUE, (listener) -> listener.acquired(lease, waited));
		}

		@Override
		public void busy(LockBusyEvent event) {
			tell(0, Integer.MAX_VALUE, (listener) -> listener.busy(event));
		}

		@Override
		public void released(LeaseInfo lease, Duration held) {
			tell(lease, 0, Integer.MAX_VALUE, (listener) -> listener.released(lease, held));
		}

	}

}
