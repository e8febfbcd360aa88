// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.LockOptions;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A thread that parks is woken by the decision, also by one that comes at the same
 * moment. Nothing else would wake it before its wait is over.
 */
@Timeout(60)
class WaiterTest {

	private static final long LONG = TimeUnit.HOURS.toNanos(1);

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

	/** For how long decisions race with threads that park. */
	private static final long RACE = TimeUnit.SECONDS.toNanos(8);

	private static final Terms TERMS = Terms.of(LockOptions.defaults(), RegistrySettings.defaults(),
			LockOptions.MAX_DURATION);

	/**
	 * The last thing that a thread looks at before it parks is whether it is interrupted.
	 */
	@Test
	void decisionThatComesWhenNobodyLooksAnyMoreWakesTheThread() throws InterruptedException {
		AtomicReference<@Nullable Waiter> looking = new AtomicReference<>();
		AtomicBoolean woken = new AtomicBoolean();
		Thread thread = new Thread(() -> {
			Waiter waiter = Waiter.parking("key", TERMS, 0);
			looking.set(waiter);
			woken.set(isDecidedAfterPark(waiter));
		}) {

			@Override
			public boolean isInterrupted() {
				Waiter waiter = looking.getAndSet(null);
				if (waiter != null) {
					waiter.fail(new IllegalStateException("decided"));
					waiter.tell();
				}
				return super.isInterrupted();
			}

		};
		thread.start();
		thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
		boolean ended = !thread.isAlive();
		thread.interrupt();
		thread.join();
		assertThat(looking).as("looked").hasValue(null);
		assertThat(ended).as("woken").isTrue();
		assertThat(woken).isTrue();
	}

	@Test
	@Tag("proof")
	void decisionThatRacesWithAThreadThatParksWakesIt() throws InterruptedException {
		AtomicReference<@Nullable Waiter> shown = new AtomicReference<>();
		AtomicLong woken = new AtomicLong();
		Thread thread = new Thread(() -> {
			boolean decided = true;
			while (decided) {
				Waiter waiter = Waiter.parking("key", TERMS, 0);
				shown.set(waiter);
				decided = isDecidedAfterPark(waiter);
				woken.incrementAndGet();
			}
		});
		thread.start();
		long decisions = 0;
		for (long begin = System.nanoTime(); woken.get() == decisions && System.nanoTime() - begin < RACE;) {
			decide(shown, decisions++ % 64);
			long told = System.nanoTime();
			while (woken.get() < decisions && System.nanoTime() - told < PATIENCE) {
				Thread.onSpinWait();
			}
		}
		long before = woken.get();
		thread.interrupt();
		thread.join();
		assertThat(before).as("woken by as many decisions").isEqualTo(decisions);
		System.out.printf("Threads that park: %,d decisions, each woke one%n", decisions);
	}

	/**
	 * Decide a moment after a waiter is shown.
	 */
	private static void decide(AtomicReference<@Nullable Waiter> shown, long moment) {
		Waiter waiter = shown.getAndSet(null);
		while (waiter == null) {
			Thread.onSpinWait();
			waiter = shown.getAndSet(null);
		}
		for (long i = moment; i > 0; i--) {
			Thread.onSpinWait();
		}
		waiter.fail(new IllegalStateException("decided"));
		waiter.tell();
	}

	/**
	 * Park until there is a decision: an earlier one may wake the thread once more.
	 * @return whether there was one before an interrupt
	 */
	private static boolean isDecidedAfterPark(Waiter waiter) {
		try {
			while (!waiter.park(LONG)) {
				Thread.onSpinWait();
			}
			return true;
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

}
