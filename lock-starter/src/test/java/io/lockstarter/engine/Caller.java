// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

import static org.awaitility.Awaitility.await;

/**
 * A thread that makes one blocking call.
 *
 * @param <T> what it returns
 */
final class Caller<T> {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final CompletableFuture<T> outcome = new CompletableFuture<>();

	private final Thread thread;

	private volatile boolean interruptedAfterwards;

	private Caller(Callable<T> call) {
		this.thread = new Thread(() -> {
			try {
				T value = call.call();
				this.interruptedAfterwards = Thread.interrupted();
				this.outcome.complete(value);
			}
			catch (Throwable ex) {
				this.interruptedAfterwards = Thread.interrupted();
				this.outcome.completeExceptionally(ex);
			}
		}, "caller");
		this.thread.setDaemon(true);
	}

	static <T> Caller<T> start(Callable<T> call) {
		Caller<T> caller = new Caller<>(call);
		caller.thread.start();
		return caller;
	}

	/**
	 * Start a call with the interrupt flag set.
	 */
	static <T> Caller<T> startInterrupted(Callable<T> call) {
		return start(() -> {
			Thread.currentThread().interrupt();
			return call.call();
		});
	}

	/**
	 * Return when the thread waits, or is through.
	 */
	Caller<T> awaitParked() {
		await().atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(1))
			.until(() -> this.outcome.isDone() || isParked());
		return this;
	}

	/**
	 * Return whether the thread waits as whoever waits for a lock or an answer does, and
	 * not for a moment only, as for a mutex, or for a class that another thread
	 * initializes. The blocker is read twice, as the thread goes on meanwhile.
	 */
	private boolean isParked() {
		Object blocker = LockSupport.getBlocker(this.thread);
		Thread.State state = this.thread.getState();
		boolean waits = state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
		return waits && blocker != null && blocker == LockSupport.getBlocker(this.thread)
				&& (blocker instanceof Waiter || blocker.getClass().getEnclosingClass() == CompletableFuture.class);
	}

	void interrupt() {
		this.thread.interrupt();
	}

	/**
	 * Return what the call returned.
	 */
	T value() {
		awaitDone();
		return this.outcome.join();
	}

	/**
	 * Return what the call threw, {@code null} if it returned.
	 */
	@Nullable Throwable failure() {
		awaitDone();
		return this.outcome.handle((value, thrown) -> thrown).join();
	}

	boolean isDone() {
		return this.outcome.isDone();
	}

	/**
	 * Return whether the interrupt flag was set when the call ended.
	 */
	boolean wasInterruptedAfterwards() {
		awaitDone();
		return this.interruptedAfterwards;
	}

	private void awaitDone() {
		this.outcome.handle((value, thrown) -> true).orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
	}

}
