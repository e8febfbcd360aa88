// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

import io.lockstarter.engine.QueueOperations.FairLock;

/**
 * A fair lock with none, or one, of two mistakes that a queue of futures can have. The
 * mistakes show that Lincheck would find them, the faultless one that it finds nothing
 * else.
 */
final class PlantedQueue implements FairLock {

	private static final int MAX_THREADS = 8;

	private final boolean guarded;

	private final boolean careful;

	private final Object mutex = new Object();

	private final Deque<CompletableFuture<Boolean>> waiting = new ArrayDeque<>();

	private final AtomicReferenceArray<@Nullable CompletableFuture<Boolean>> requests = new AtomicReferenceArray<>(
			MAX_THREADS);

	private boolean held;

	private PlantedQueue(boolean guarded, boolean careful) {
		this.guarded = guarded;
		this.careful = careful;
	}

	@Override
	public boolean request(int thread) {
		return ask(thread, true);
	}

	@Override
	public boolean tryOnce(int thread) {
		return ask(thread, false);
	}

	@Override
	public boolean cancel(int thread) {
		CompletableFuture<Boolean> request = this.requests.get(thread);
		if (request == null || !request.cancel(false)) {
			return false;
		}
		guard(() -> this.waiting.removeIf((waiter) -> waiter == request));
		this.requests.set(thread, null);
		return true;
	}

	@Override
	public boolean expire(int thread) {
		return cancel(thread);
	}

	@Override
	public boolean release(int thread) {
		CompletableFuture<Boolean> request = this.requests.get(thread);
		if (request == null || !request.isDone()) {
			return false;
		}
		this.requests.set(thread, null);
		guard(this::handOn);
		return true;
	}

	@Override
	public boolean answer(boolean granted) {
		return false;
	}

	private boolean ask(int thread, boolean wait) {
		if (this.requests.get(thread) != null) {
			return false;
		}
		CompletableFuture<Boolean> request = new CompletableFuture<>();
		guard(() -> {
			if (!this.held) {
				this.held = true;
				request.complete(true);
			}
			else if (wait) {
				this.waiting.add(request);
			}
		});
		if (wait || request.isDone()) {
			this.requests.set(thread, request);
		}
		return request.isDone();
	}

	private void handOn() {
		this.held = false;
		CompletableFuture<Boolean> next = this.waiting.poll();
		while (next != null && !this.held) {
			this.held = next.complete(true) || !this.careful;
			next = this.held ? null : this.waiting.poll();
		}
	}

	private void guard(Runnable action) {
		if (this.guarded) {
			synchronized (this.mutex) {
				action.run();
			}
		}
		else {
			action.run();
		}
	}

	/**
	 * Without mistakes.
	 */
	public static class Faultless extends QueueOperations.AnsweredAtOnce {

		/**
		 * Create a free lock.
		 */
		public Faultless() {
			super(new PlantedQueue(true, true));
		}

	}

	/**
	 * Forgot its mutex.
	 */
	public static class Unguarded extends QueueOperations.AnsweredAtOnce {

		/**
		 * Create a free lock.
		 */
		public Unguarded() {
			super(new PlantedQueue(false, true));
		}

	}

	/**
	 * Takes a waiter that gave up for one that still waits.
	 */
	public static class Forgetful extends QueueOperations.Prepared {

		/**
		 * Create a free lock.
		 */
		public Forgetful() {
			super(new PlantedQueue(true, false));
		}

	}

}
