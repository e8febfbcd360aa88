package io.lockstarter.interceptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockedAction;
import org.jspecify.annotations.Nullable;

/**
 * Grants everything and remembers it.
 */
final class RecordingRegistry implements LockRegistry {

	final List<String> keys = new ArrayList<>();

	final List<String> events = new ArrayList<>();

	LockOptions options = LockOptions.defaults();

	@Nullable RuntimeException refusal;

	@Override
	public <T extends @Nullable Object, X extends Throwable> T call(String key, LockOptions options,
			LockedAction<T, X> action) throws X {
		this.keys.add(key);
		this.options = options;
		if (this.refusal != null) {
			throw this.refusal;
		}
		this.events.add("acquired " + key);
		try {
			return action.run();
		}
		finally {
			this.events.add("released " + key);
		}
	}

	@Override
	public LeasedLock obtain(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Lease acquire(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public Optional<Lease> tryAcquire(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public CompletableFuture<Lease> acquireAsync(String key, LockOptions options) {
		throw new UnsupportedOperationException();
	}

}
