// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

import io.lockstarter.LockOptions;
import io.lockstarter.platform.Platform;

/**
 * An engine that closes while keys come and go.
 */
public abstract class ClosingEngine {

	private static final RegistrySettings SETTINGS = RegistrySettings.defaults();

	private static final Terms TERMS = Terms.of(LockOptions.defaults().withRenew(false), SETTINGS,
			LockOptions.MAX_DURATION);

	private final LockEngine engine;

	private volatile boolean closed;

	ClosingEngine() {
		Platform platform = new StillPlatform();
		this.engine = new LockEngine("app", new OwnerIdSequence(platform), new FreeStore(), SETTINGS,
				Timing.of(platform), List.of(), List.of(), Runnable::run);
		this.engine.open();
	}

	/**
	 * Close the engine.
	 */
	@Operation(runOnce = true)
	public void close() {
		this.engine.close();
		this.closed = true;
		if (isDrained()) {
			checkNothingIsHeld();
		}
	}

	/**
	 * An engine that is closed is drained when nobody holds a key any more, and nobody
	 * waits.
	 */
	@Validate
	public void checkClosed() {
		if (this.closed && this.engine.waiterCount() > 0) {
			throw new AssertionError("closed, but somebody waits");
		}
		if (isDrained()) {
			checkNothingIsHeld();
		}
		else if (this.closed && this.engine.leases().isEmpty()) {
			throw new AssertionError("not drained");
		}
	}

	private boolean isDrained() {
		return this.engine.drained().isDone();
	}

	private void checkNothingIsHeld() {
		if (!this.engine.leases().isEmpty()) {
			throw new AssertionError("drained, but held: " + this.engine.leases());
		}
	}

	@Nullable DefaultLease join(String key) {
		Waiter waiter = Waiter.calling(Waiter.Kind.WHOLE, key, TERMS, 0, ClosingEngine::ignore);
		try {
			this.engine.join(key, waiter);
		}
		catch (IllegalStateException ex) {
			// closed already
		}
		return waiter.lease();
	}

	private static void ignore(Waiter decided) {
	}

	/**
	 * One of its keys is held all the time.
	 */
	public static final class Held extends ClosingEngine {

		/**
		 * Create an engine with a key that is held.
		 */
		public Held() {
			join("held");
		}

		/**
		 * Hold another key, and release it.
		 */
		@Operation(runOnce = true)
		public void comeAndGo() {
			DefaultLease lease = join("other");
			if (lease != null) {
				var unused = lease.releaseAsync();
			}
		}

		/**
		 * What callers see if they come one after the other.
		 */
		public static final class InTurn {

			/**
			 * Do nothing that a caller would see.
			 */
			public void comeAndGo() {
			}

			/**
			 * Close.
			 */
			public void close() {
			}

		}

	}

	/**
	 * Its only key is free in the beginning.
	 */
	public static final class Free extends ClosingEngine {

		/**
		 * Hold the key from now on.
		 * @return whether it is held
		 */
		@Operation(runOnce = true)
		public boolean hold() {
			return join("key") != null;
		}

		/**
		 * What callers see if they come one after the other.
		 */
		public static final class InTurn {

			private boolean closed;

			/**
			 * Hold the key, unless this is closed.
			 * @return whether it is held
			 */
			public boolean hold() {
				return !this.closed;
			}

			/**
			 * Close.
			 */
			public void close() {
				this.closed = true;
			}

		}

	}

	/**
	 * A store where every key is free.
	 */
	private static final class FreeStore extends UneventfulStore {

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

	}

}
