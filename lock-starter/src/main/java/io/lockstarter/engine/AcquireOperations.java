// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.lockstarter.Lease;
import io.lockstarter.LockException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.LockMonitor.WaitObserver;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * The ways to acquire: one key or several, with a thread that parks or with a future.
 * Whoever gives up when its {@link Waiter} is granted a lease already releases that.
 */
final class AcquireOperations {

	private final LockEngine engine;

	private final Services services;

	private final Consumer<Slots> allTaken;

	/**
	 * Create the operations of an engine.
	 * @param allTaken is told when somebody found all slots of permits taken
	 */
	AcquireOperations(LockEngine engine, Consumer<Slots> allTaken) {
		this.engine = engine;
		this.allTaken = allTaken;
		this.services = engine.services();
	}

	/**
	 * Acquire several keys, all or none, parking the current thread. The leases are in
	 * the order of the keys.
	 * @throws LockNotAcquiredException if a key stayed busy
	 */
	<X extends Exception> List<DefaultLease> acquireAll(List<String> keys, Terms terms, Parking<X> parking) throws X {
		if (keys.size() > 1) {
			return park(Keys.named(keys), () -> startAll(keys, terms), parking);
		}
		Waiter waiter = acquire(keys.get(0), terms, parking);
		DefaultLease lease = waiter.lease();
		if (lease == null) {
			throw waiter.notAcquired(this.services.instance(), now(), LockScope.find().orElse(null));
		}
		return inList(lease);
	}

	/**
	 * Whoever called has nothing to release yet.
	 */
	private static List<DefaultLease> inList(DefaultLease lease) {
		try {
			return List.of(lease);
		}
		catch (Error ex) {
			var unused = lease.releaseUnused();
			throw ex;
		}
	}

	/**
	 * Acquire several keys, all or none, parking the current thread.
	 * @return the leases; empty if a key stayed busy
	 */
	<X extends Exception> List<DefaultLease> tryAll(List<String> keys, Terms terms, Parking<X> parking) throws X {
		if (keys.size() == 1) {
			DefaultLease lease = acquire(keys.get(0), terms, parking).lease();
			return (lease != null) ? inList(lease) : List.of();
		}
		try {
			return acquireAll(keys, terms, parking);
		}
		catch (LockNotAcquiredException ex) {
			return List.of();
		}
	}

	/**
	 * Acquire a permit, parking the current thread.
	 * @throws LockNotAcquiredException if no permit was free
	 */
	DefaultLease acquirePermit(Slots slots, Terms terms) throws InterruptedException {
		return park(slots.key(), () -> startPermit(slots, terms), Parking.INTERRUPTIBLY).get(0);
	}

	private <X extends Exception> Waiter acquire(String key, Terms terms, Parking<X> parking) throws X {
		parking.await(() -> Interrupts.check(key));
		WaitObserver wait = this.services.news().waiting(key, terms.name());
		if (wait == null) {
			return park(key, terms, parking);
		}
		try {
			Waiter waiter = park(key, terms, parking);
			wait.ended(waiter.lease(), null);
			return waiter;
		}
		catch (Throwable ex) {
			wait.ended(null, ex);
			throw ex;
		}
	}

	private <X extends Exception> Waiter park(String key, Terms terms, Parking<X> parking) throws X {
		Waiter waiter = Waiter.parking(key, terms, now());
		LocalQueue queue = null;
		try {
			LocalQueue joined = this.engine.join(key, waiter);
			queue = joined;
			return parking.await(() -> await(joined, waiter));
		}
		catch (Throwable ex) {
			giveUp(queue, waiter);
			throw ex;
		}
	}

	private static <X extends Exception> List<DefaultLease> park(String named,
			Supplier<CompletableFuture<List<DefaultLease>>> start, Parking<X> parking) throws X {
		parking.await(() -> Interrupts.check(named));
		CompletableFuture<List<DefaultLease>> result = start.get();
		try {
			List<DefaultLease> leases = parking.await(() -> await(result, named));
			leases.forEach((lease) -> lease.thread(Thread.currentThread()));
			return leases;
		}
		catch (Throwable ex) {
			giveUp(result);
			throw ex;
		}
	}

	CompletableFuture<Lease> acquireAsync(String key, Terms terms) {
		return deliver(startAll(List.of(key), terms), (leases) -> leases.get(0));
	}

	CompletableFuture<List<Lease>> acquireAllAsync(List<String> keys, Terms terms) {
		return deliver(startAll(keys, terms), List::copyOf);
	}

	CompletableFuture<Lease> acquirePermitAsync(Slots slots, Terms terms) {
		return deliver(startPermit(slots, terms), (leases) -> leases.get(0));
	}

	private <T> CompletableFuture<T> deliver(CompletableFuture<List<DefaultLease>> acquired,
			Function<List<DefaultLease>, T> whole) {
		CompletableFuture<T> result = new CompletableFuture<>();
		Completions.on(acquired, (leases, failure) -> onExecutor(result, () -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else if (leases != null && !result.complete(whole.apply(leases))) {
				DefaultLease.releaseAllUnused(leases);
			}
		}));
		// Without effect if it was completed with what was acquired.
		Completions.on(result, (leases, failure) -> acquired.cancel(false));
		return result;
	}

	private CompletableFuture<List<DefaultLease>> startAll(List<String> keys, Terms terms) {
		return new MultiKeyAcquisition(this.engine, keys, terms).start(Keys.named(keys));
	}

	private CompletableFuture<List<DefaultLease>> startPermit(Slots slots, Terms terms) {
		return new PermitAcquisition(this.engine, slots, terms, this.allTaken).start(slots.key());
	}

	private long now() {
		return this.services.now();
	}

	private Waiter await(LocalQueue queue, Waiter waiter) throws InterruptedException {
		long until = this.services.waitLimit().firstLook(waiter);
		while (!waiter.park((until != Ticker.NEVER) ? until - now() : Ticker.NEVER)) {
			if (until != Ticker.NEVER && now() >= until) {
				until = queue.expire(waiter);
			}
		}
		RuntimeException failure = waiter.failure();
		if (failure != null) {
			throw Completions.withStackOfCaller(failure);
		}
		return waiter;
	}

	private static List<DefaultLease> await(CompletableFuture<List<DefaultLease>> result, String named)
			throws InterruptedException {
		try {
			try {
				return result.get();
			}
			catch (RejectedExecutionException ex) {
				Completions.await(result);
				return result.get();
			}
		}
		catch (ExecutionException ex) {
			throw Completions.withStackOfCaller(ex.getCause());
		}
		catch (InterruptedException ex) {
			throw Interrupts.interrupted(named);
		}
	}

	/**
	 * Deliver on a thread for what others wrote. If that fails, whoever waits for the
	 * result is told so.
	 */
	private void onExecutor(CompletableFuture<?> result, Runnable delivery) {
		try {
			this.services.timing().callbacks().execute(() -> {
				try {
					delivery.run();
				}
				catch (RuntimeException | Error ex) {
					refuse(result, delivery, ex);
				}
			});
		}
		catch (RuntimeException | Error ex) {
			refuse(result, delivery, ex);
		}
	}

	/**
	 * Fail in place of a delivery, which then gives back what was acquired.
	 */
	private static void refuse(CompletableFuture<?> result, Runnable delivery, Throwable failure) {
		if (result.completeExceptionally(failure)) {
			delivery.run();
		}
	}

	private void giveUp(@Nullable LocalQueue queue, Waiter waiter) {
		if (queue != null && queue.giveUp(waiter)) {
			this.services.news().gaveUp(waiter);
			return;
		}
		DefaultLease granted = waiter.lease();
		if (granted != null) {
			var unused = granted.releaseUnused();
		}
	}

	private static void giveUp(CompletableFuture<List<DefaultLease>> result) {
		if (!result.cancel(false) && !result.isCompletedExceptionally()) {
			DefaultLease.releaseAllUnused(result.join());
		}
	}

	/**
	 * One way to wait with a thread.
	 */
	interface Parking<X extends Exception> {

		/**
		 * An interrupt ends the wait, and nothing stays acquired.
		 */
		Parking<InterruptedException> INTERRUPTIBLY = Interrupts.Wait::await;

		/**
		 * An interrupt is kept for later.
		 */
		Parking<RuntimeException> UNINTERRUPTIBLY = Interrupts::uninterruptibly;

		<T> T await(Interrupts.Wait<T> wait) throws X;

	}

}
