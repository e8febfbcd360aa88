package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockListener;
import io.lockstarter.LockStoreException;
import io.lockstarter.LossCause;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.function.SingletonSupplier;

/**
 * {@link LockListener} that notifies the listener beans. They are looked up at the first
 * notification, as a listener may use the registry that it listens to.
 */
final class LockListeners implements LockListener {

	private static final Log logger = LogFactory.getLog(LockListeners.class);

	private final Supplier<List<LockListener>> listeners;

	LockListeners(Supplier<List<LockListener>> listeners) {
		this.listeners = SingletonSupplier.of(listeners);
	}

	@Override
	public void lost(Lease lease, LossCause cause) {
		tell((listener) -> listener.lost(lease, cause));
	}

	@Override
	public void releaseUnconfirmed(Lease lease, LockStoreException failure) {
		tell((listener) -> listener.releaseUnconfirmed(lease, failure));
	}

	@Override
	public void abandoned(Lease lease) {
		tell((listener) -> listener.abandoned(lease));
	}

	@Override
	public void clockSetBack(String key, Duration remaining, Duration setBack) {
		tell((listener) -> listener.clockSetBack(key, remaining, setBack));
	}

	private void tell(Consumer<LockListener> event) {
		for (LockListener listener : this.listeners.get()) {
			try {
				event.accept(listener);
			}
			catch (Throwable ex) {
				logger.error("A lock listener failed: " + listener, ex);
			}
		}
	}

}
