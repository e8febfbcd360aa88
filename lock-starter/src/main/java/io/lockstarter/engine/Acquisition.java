// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import io.lockstarter.LockMonitor.WaitObserver;
import io.lockstarter.LockScope;
import io.lockstarter.LockStoreException;
import io.lockstarter.platform.SerialExecutor;
import io.lockstarter.platform.Ticker;

/**
 * One request for leases of several keys, for whoever is given a future of them: its end,
 * by whomever, makes all that wait give up. Refused at shutdown, wherever it is by then.
 */
abstract class Acquisition {

	final LockEngine engine;

	final Services services;

	final List<String> keys;

	final Terms terms;

	final long since;

	final @Nullable LockScope outer = LockScope.find().orElse(null);

	/**
	 * Completes with the leases in the order of the keys, on any thread but not under a
	 * mutex. Whoever cancels it gets none.
	 */
	final CompletableFuture<List<DefaultLease>> result = new CompletableFuture<>();

	// One at a time, and none within another: a store may answer at once, key after key.
	private final Executor steps = new SerialExecutor(Runnable::run, Integer.MAX_VALUE);

	// those who wait, or did; in steps, as what follows
	private final List<Place> places = new ArrayList<>(1);

	private long due = Ticker.NEVER;

	private @Nullable Runnable timer;

	Acquisition(LockEngine engine, List<String> keys, Terms terms) {
		this.engine = engine;
		this.services = engine.services();
		this.keys = keys;
		this.terms = terms;
		this.since = this.services.now();
	}

	/**
	 * Start to acquire.
	 * @param named what monitors are told is waited for
	 */
	CompletableFuture<List<DefaultLease>> start(String named) {
		WaitObserver wait = this.services.news().waiting(named, this.terms.name());
		if (this.keys.size() > 1) {
			// one key is always waited for in its queue, or not at all
			this.engine.refuseAtShutdown(this.result);
		}
		Completions.on(this.result, (leases, failure) -> ended(wait, leases, failure));
		step(this::begin);
		return this.result;
	}

	abstract void begin();

	/**
	 * Return the key of which monitors are told that it could not be had.
	 */
	abstract String awaited();

	/**
	 * Tell why there are no leases.
	 */
	void fail(Throwable failure) {
		this.result.completeExceptionally(failure);
	}

	/**
	 * Tell the monitors, and have nothing left behind, whoever ended it.
	 */
	private void ended(@Nullable WaitObserver wait, @Nullable List<DefaultLease> leases, @Nullable Throwable failure) {
		if (failure instanceof CancellationException) {
			this.services.news().gaveUp(awaited(), this.terms.name(), this.since);
		}
		else if (failure != null) {
			this.services.news().failed(awaited(), this.terms.name(), this.since, failure);
		}
		if (wait != null) {
			wait.ended((leases != null) ? leases.get(0) : null, failure);
		}
		step(this::leave);
	}

	/**
	 * Have nothing left behind. Without effect on what is decided.
	 */
	void leave() {
		stopTimer();
		Failures.forEach(this.places, Place::giveUp);
	}

	void step(Runnable step) {
		try {
			this.steps.execute(() -> contain(step));
		}
		catch (RuntimeException | Error ex) {
			this.result.completeExceptionally(ex);
		}
	}

	/**
	 * Whatever goes wrong, whoever waits is told, and nothing stays acquired.
	 */
	private void contain(Runnable step) {
		try {
			step.run();
		}
		catch (RuntimeException | Error ex) {
			fail(ex);
		}
	}

	/**
	 * Wait for a key in its queue.
	 */
	void join(Waiter.Kind kind, String key, Consumer<Waiter> whenDecided) {
		this.places.removeIf((place) -> place.waiter.isDecided());
		Waiter waiter = Waiter.calling(kind, key, this.terms, this.since, whenDecided);
		LocalQueue queue = this.engine.join(key, waiter);
		this.places.add(new Place(queue, waiter));
		lookAt(this.services.waitLimit().firstLook(waiter));
	}

	/**
	 * Try a key if nobody here has it or waits for it.
	 * @return whether its answer is awaited; if not, the waiter was told why
	 */
	boolean isTrying(String key, Waiter waiter) {
		Claim claim = this.engine.claim(key, waiter);
		if (claim == null) {
			return false;
		}
		try {
			this.places.add(new Place(claim.queue(), waiter));
			Completions.on(this.services.store().acquire(claim.command()), claim::answered);
		}
		catch (RuntimeException | Error ex) {
			claim.answered(null, ex);
		}
		return true;
	}

	/**
	 * Look at those who wait at an instant, or before.
	 */
	private void lookAt(long instant) {
		if (instant < this.due && !this.result.isDone()) {
			stopTimer();
			this.timer = this.services.timing()
				.deadlines()
				.schedule(() -> step(this::expire), instant - this.services.now());
			this.due = instant;
		}
	}

	/**
	 * End the wait of those whose time is over.
	 */
	private void expire() {
		this.due = Ticker.NEVER;
		for (Place place : List.copyOf(this.places)) {
			lookAt(place.queue.expire(place.waiter));
		}
	}

	private void stopTimer() {
		Runnable cancellation = this.timer;
		this.timer = null;
		this.due = Ticker.NEVER;
		if (cancellation != null) {
			cancellation.run();
		}
	}

	static boolean isPassing(@Nullable Throwable failure) {
		return failure instanceof LockStoreException store && store.isTransient();
	}

	/**
	 * One who waits, and where.
	 */
	private record Place(LocalQueue queue, Waiter waiter) {

		void giveUp() {
			if (!this.waiter.isDecided()) {
				var unused = this.queue.giveUp(this.waiter);
			}
		}

	}

}
