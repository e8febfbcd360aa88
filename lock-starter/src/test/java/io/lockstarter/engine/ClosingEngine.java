// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;

import io.lockstarter.LockOptions;
import io.lockstarter.platform.ForwardingPlatform;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.Timer;
import io.lockstarter.platform.Workers;
import io.lockstarter.store.LockStore;

/**
 * An engine that closes while one key is held, and another one comes and goes.
 */
public class ClosingEngine {

	private static final RegistrySettings SETTINGS = RegistrySettings.defaults();

	private static final Terms TERMS = Terms.of(LockOptions.defaults().withRenew(false), SETTINGS,
			LockOptions.MAX_DURATION);

	private final LockEngine engine;

	/**
	 * Create an engine with a key that is held.
	 */
	public ClosingEngine() {
		Platform platform = new StillPlatform();
		this.engine = new LockEngine("app", new OwnerIdSequence(platform), new FreeStore(), SETTINGS,
				Timing.of(platform), List.of(), List.of());
		this.engine.open();
		join("held");
	}

	/**
	 * Hold another key, and release it.
	 */
	@Operation
	public void comeAndGo() {
		try {
			DefaultLease lease = join("other").lease();
			if (lease != null) {
				lease.releaseAsync();
			}
		}
		catch (IllegalStateException ex) {
			// closed already
		}
	}

	/**
	 * Close the engine.
	 * @return whether it seems that nobody holds a key
	 */
	@Operation(runOnce = true)
	public boolean close() {
		this.engine.close();
		return this.engine.drained().isDone();
	}

	private Waiter join(String key) {
		Waiter waiter = Waiter.calling(Waiter.Kind.WHOLE, key, TERMS, 0, ClosingEngine::doNothing);
		this.engine.join(key, waiter);
		return waiter;
	}

	private static void doNothing() {
	}

	/**
	 * What all calls return if they come one after the other.
	 */
	public static final class OneAfterTheOther {

		/**
		 * Do nothing that a caller would see.
		 */
		public void comeAndGo() {
		}

		/**
		 * Say that a key is held.
		 * @return that nobody holds a key
		 */
		public boolean close() {
			return false;
		}

	}

	private static final class StillPlatform extends ForwardingPlatform implements Timer {

		@Override
		public long nanoTime() {
			return 0;
		}

		@Override
		public Timer timer(String thread) {
			return this;
		}

		@Override
		public Runnable schedule(Runnable task, long delay) {
			return ClosingEngine::doNothing;
		}

		@Override
		public Workers workers(String thread, Timer timer) {
			return Runnable::run;
		}

	}

	/**
	 * A store where every key is free.
	 */
	private static final class FreeStore implements LockStore {

		private final AtomicLong lastToken = new AtomicLong();

		@Override
		public CompletableFuture<AcquireReply> acquire(Acquire command) {
			long token = this.lastToken.incrementAndGet();
			return CompletableFuture.completedFuture(new Acquired(token, token, false));
		}

		@Override
		public CompletableFuture<Boolean> release(Release command) {
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public CompletableFuture<List<@Nullable Boolean>> renew(List<Renew> commands) {
			throw new AssertionError("renewed");
		}

		@Override
		public CompletableFuture<?> leave(String key, String instance) {
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public void listen(String instance, Signals signals) {
			signals.listening(true);
		}

		@Override
		public void close() {
		}

	}

}
