// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.interceptor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.lockstarter.Lease;
import io.lockstarter.LeasedLock;
import io.lockstarter.LockException;
import io.lockstarter.LockInterruptedException;
import io.lockstarter.LockLostException;
import io.lockstarter.LockOptions;
import io.lockstarter.LockRegistry;
import io.lockstarter.LockedAction;
import io.lockstarter.LossCause;
import org.jspecify.annotations.Nullable;

/**
 * Grants everything, or refuses it, and remembers it.
 */
final class RecordingRegistry implements LockRegistry {

	final List<String> keys = new ArrayList<>();

	final List<String> events = new ArrayList<>();

	LockOptions options = LockOptions.defaults();

	@Nullable LockException refusal;

	/**
	 * What asynchronous acquirers wait for.
	 */
	CompletableFuture<?> grants = CompletableFuture.completedFuture(null);

	/**
	 * What asynchronous acquirers were given.
	 */
	final List<CompletableFuture<List<Lease>>> attempts = new ArrayList<>();

	/**
	 * Whether a lease is granted to whoever gave up.
	 */
	boolean ignoresCancel;

	/**
	 * What the store says to a release.
	 */
	CompletableFuture<Boolean> confirmation = CompletableFuture.completedFuture(true);

	/**
	 * The lease that was granted last.
	 */
	@Nullable GrantedLease granted;

	/**
	 * Whether the lease that was granted last is granted again instead of a new one.
	 */
	boolean reentrant;

	private long token;

	@Override
	public <T extends @Nullable Object, X extends Throwable> T callAll(Collection<String> keys, LockOptions options,
			LockedAction<T, X> action) {
		throw new UnsupportedOperationException();
	}

	@Override
	public <T, X extends Throwable> Optional<T> tryCall(String key, LockOptions options, LockedAction<T, X> action) {
		throw new UnsupportedOperationException();
	}

	@Override
	public List<Lease> acquireAll(Collection<String> keys, LockOptions options) {
		throw new UnsupportedOperationException();
	}

	@Override
	public LeasedLock obtain(String key, LockOptions options) {
		return obtainAll(List.of(key), options);
	}

	@Override
	public LeasedLock obtainAll(Collection<String> keys, LockOptions options) {
		this.keys.addAll(keys);
		this.options = options;
		return new RecordedLock(String.join(", ", keys));
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
		return acquireAllAsync(List.of(key), options).thenApply((leases) -> leases.get(0));
	}

	@Override
	public CompletableFuture<List<Lease>> acquireAllAsync(Collection<String> keys, LockOptions options) {
		this.keys.addAll(keys);
		this.options = options;
		if (this.refusal != null) {
			return CompletableFuture.failedFuture(this.refusal);
		}
		CompletableFuture<List<Lease>> attempt = this.ignoresCancel ? new Stubborn<>() : new CompletableFuture<>();
		this.attempts.add(attempt);
		var unused = this.grants.thenAccept((granted) -> {
			if (!attempt.isDone()) {
				attempt.complete(List.of(grant(String.join(", ", keys))));
			}
		});
		return attempt;
	}

	private GrantedLease grant(String key) {
		if (this.reentrant && this.granted != null) {
			this.granted.holds++;
			return this.granted;
		}
		this.events.add("acquired " + key);
		this.granted = new GrantedLease(key, ++this.token);
		return this.granted;
	}

	private final class RecordedLock implements LeasedLock {

		private final String key;

		private @Nullable GrantedLease lease;

		RecordedLock(String key) {
			this.key = key;
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public Lease lease() {
			if (this.lease == null) {
				throw new IllegalMonitorStateException();
			}
			return this.lease;
		}

		@Override
		public List<Lease> leases() {
			return List.of(lease());
		}

		@Override
		public int holdCount() {
			return (this.lease != null) ? 1 : 0;
		}

		@Override
		public boolean extend(Duration ttl) {
			return lease().extend(ttl);
		}

		@Override
		public void acquire() throws InterruptedException {
			LockException refusal = RecordingRegistry.this.refusal;
			if (refusal instanceof LockInterruptedException && refusal.getCause() instanceof InterruptedException ex) {
				throw ex;
			}
			if (refusal != null) {
				throw refusal;
			}
			this.lease = grant(this.key);
		}

		@Override
		public void lock() {
			throw new UnsupportedOperationException();
		}

		@Override
		public void lockInterruptibly() {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean tryLock() {
			throw new UnsupportedOperationException();
		}

		@Override
		public boolean tryLock(long time, TimeUnit unit) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void unlock() {
			Lease ended = lease();
			this.lease = null;
			if (ended instanceof GrantedLease granted && --granted.holds > 0) {
				return;
			}
			ended.close();
			if (ended instanceof GrantedLease granted && granted.cause != null) {
				throw new LockLostException(this.key, granted.token, granted.cause);
			}
		}

	}

	/**
	 * A future that is granted at the moment it is cancelled.
	 */
	private static final class Stubborn<T> extends CompletableFuture<T> {

		@Override
		public boolean cancel(boolean mayInterrupt) {
			return false;
		}

	}

	/**
	 * A lease that is lost when the test says so.
	 */
	final class GrantedLease implements Lease {

		private final String key;

		private final long token;

		private final List<Consumer<LossCause>> actions = new ArrayList<>();

		private int holds = 1;

		private boolean closed;

		private @Nullable LossCause cause;

		private @Nullable LossCause unnoticed;

		GrantedLease(String key, long token) {
			this.key = key;
			this.token = token;
		}

		void lose(LossCause cause) {
			this.cause = cause;
			this.actions.forEach((action) -> action.accept(cause));
		}

		/**
		 * Lost, but so far only the store knows.
		 */
		void loseUnnoticed(LossCause cause) {
			this.unnoticed = cause;
		}

		int actions() {
			return this.actions.size();
		}

		@Override
		public String key() {
			return this.key;
		}

		@Override
		public String name() {
			return RecordingRegistry.this.options.name();
		}

		@Override
		public String ownerId() {
			return "recorded:" + this.token;
		}

		@Override
		public long fencingToken() {
			return this.token;
		}

		@Override
		public Duration ttl() {
			return Duration.ofSeconds(30);
		}

		@Override
		public boolean isValid() {
			return !this.closed && this.cause == null;
		}

		@Override
		public Duration remaining() {
			return isValid() ? Duration.ofSeconds(30) : Duration.ZERO;
		}

		@Override
		public void checkValid() {
			if (this.cause != null) {
				throw new LockLostException(this.key, this.token, this.cause);
			}
			if (this.closed) {
				throw new IllegalStateException("closed");
			}
		}

		@Override
		public Registration onLost(Consumer<LossCause> action) {
			this.actions.add(action);
			return () -> this.actions.remove(action);
		}

		@Override
		public boolean extend(Duration ttl) {
			return isValid();
		}

		@Override
		public CompletableFuture<Boolean> extendAsync(Duration ttl) {
			return CompletableFuture.completedFuture(isValid());
		}

		@Override
		public void holdAtLeast(Duration minHold) {
		}

		@Override
		public CompletableFuture<Boolean> releaseAsync() {
			close();
			return RecordingRegistry.this.confirmation;
		}

		@Override
		public void close() {
			if (!this.closed) {
				this.closed = true;
				this.cause = (this.cause != null) ? this.cause : this.unnoticed;
				RecordingRegistry.this.events.add("released " + this.key);
			}
		}

	}

}
