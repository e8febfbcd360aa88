// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.lockstarter.proof.SharedCounter.Slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The witness itself: it notices violations that are planted.
 */
class SharedCounterTest {

	@TempDir
	private Path directory;

	private SharedCounter one;

	private SharedCounter other;

	@BeforeEach
	void map() {
		this.one = new SharedCounter(this.directory.resolve("counter"));
		this.other = new SharedCounter(this.directory.resolve("counter"));
	}

	@Test
	void sectionsInTurnAreFine() {
		section(this.one, 1, 10);
		section(this.other, 2, 11);
		assertThat(this.one.get(Slot.COUNTER)).isEqualTo(this.other.sections()).isEqualTo(2);
		assertThat(this.one.get(Slot.TORN)).isZero();
		assertThat(this.one.get(Slot.OVERLAPS)).isZero();
		assertThat(this.one.get(Slot.STALE_TOKENS)).isZero();
	}

	@Test
	void sectionInsideAnotherIsNoticed() {
		this.one.begin(10);
		section(this.other, 2, 11);
		this.one.increment();
		this.one.end(1);
		assertThat(this.one.get(Slot.TORN)).isOne();
	}

	@Test
	void sectionThatNeverEndedIsNoticedByTheNext() {
		long before = System.nanoTime();
		this.one.begin(10);
		section(this.other, 2, 11);
		assertThat(this.one.get(Slot.TORN)).isOne();
		assertThat(this.one.get(Slot.STARTED)).isEqualTo(this.one.get(Slot.FINISHED)).isOne();
		assertThat(this.one.signalled(Slot.RECOVERED_AT)).isBetween(before, System.nanoTime());
	}

	@Test
	void tokenThatDoesNotGrowIsNoticed() {
		section(this.one, 1, 10);
		section(this.other, 2, 10);
		section(this.one, 1, 9);
		assertThat(this.one.get(Slot.STALE_TOKENS)).isEqualTo(2);
	}

	@Test
	void threadsWithoutALockAreNoticed() {
		// On a machine that is busy, threads may overlap without an update being lost.
		await().until(() -> {
			runThreadsWithoutALock();
			return this.one.get(Slot.COUNTER) != this.one.sections();
		});
	}

	private void runThreadsWithoutALock() {
		AtomicBoolean running = new AtomicBoolean(true);
		CompletableFuture<?>[] threads = IntStream.range(0, 4).mapToObj((worker) -> CompletableFuture.runAsync(() -> {
			for (int i = 0; running.get(); i++) {
				section(this.one, worker, i);
			}
		}, (task) -> new Thread(task).start())).toArray(CompletableFuture<?>[]::new);
		try {
			await().until(() -> this.one.signalled(Slot.TORN) > 0 && this.one.signalled(Slot.OVERLAPS) > 0
					&& this.one.signalled(Slot.STALE_TOKENS) > 0);
		}
		finally {
			running.set(false);
		}
		CompletableFuture.allOf(threads).join();
	}

	private static void section(SharedCounter counter, int worker, long token) {
		counter.begin(token);
		counter.increment();
		counter.end(worker);
	}

}
