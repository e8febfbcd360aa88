// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of tasks that run one after the other.
 */
class SerialExecutorTest {

	private static final int TASKS = 10_000;

	private final List<Runnable> started = new ArrayList<>();

	private final List<Integer> runs = new ArrayList<>();

	@Test
	void tasksRunInOrderWhateverThreadsThereAre() {
		Executor aThreadForEach = (task) -> new Thread(task).start();
		Executor serial = new SerialExecutor(aThreadForEach, TASKS + 1);
		for (int i = 0; i < TASKS; i++) {
			int number = i;
			serial.execute(() -> this.runs.add(number));
		}
		CompletableFuture<Integer> size = CompletableFuture.supplyAsync(this.runs::size, serial);
		assertThat(size).succeedsWithin(30, TimeUnit.SECONDS).isEqualTo(TASKS);
		assertThat(this.runs).isSorted();
	}

	@Test
	void tasksThatComeMeanwhileNeedNoOtherThread() {
		Executor serial = new SerialExecutor(this.started::add, TASKS);
		serial.execute(() -> serial.execute(() -> this.runs.add(2)));
		serial.execute(() -> this.runs.add(1));
		assertThat(this.started).hasSize(1);
		this.started.get(0).run();
		assertThat(this.runs).containsExactly(1, 2);
		serial.execute(() -> this.runs.add(3));
		assertThat(this.started).hasSize(2);
	}

	@Test
	void tasksThatAreTooManyAreRejected() {
		Executor serial = new SerialExecutor(this.started::add, 1);
		serial.execute(() -> this.runs.add(1));
		assertThatExceptionOfType(RejectedExecutionException.class)
			.isThrownBy(() -> serial.execute(() -> this.runs.add(2)));
		this.started.get(0).run();
		serial.execute(() -> this.runs.add(3));
		this.started.get(1).run();
		assertThat(this.runs).containsExactly(1, 3);
	}

	@Test
	void tasksAfterOneThatFailedGoOn() {
		Executor serial = new SerialExecutor(this.started::add, TASKS);
		serial.execute(() -> {
			throw new IllegalStateException("on purpose");
		});
		serial.execute(() -> this.runs.add(2));
		assertThatIllegalStateException().isThrownBy(this.started.get(0)::run);
		this.started.get(1).run();
		assertThat(this.runs).containsExactly(2);
	}

	@Test
	void tasksWithoutAThreadRunAlongWithTheNextOne() {
		List<Error> failures = new ArrayList<>(List.of(new OutOfMemoryError("no thread")));
		Executor serial = new SerialExecutor((task) -> {
			if (!failures.isEmpty()) {
				throw failures.remove(0);
			}
			task.run();
		}, TASKS);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> serial.execute(() -> this.runs.add(1)));
		serial.execute(() -> this.runs.add(2));
		assertThat(this.runs).containsExactly(1, 2);
	}

	@Test
	void runThatWasRefusedAndComesAllTheSameDoesNothing() {
		List<Error> failures = new ArrayList<>(List.of(new OutOfMemoryError("no thread")));
		Executor serial = new SerialExecutor((task) -> {
			this.started.add(task);
			if (!failures.isEmpty()) {
				throw failures.remove(0);
			}
		}, TASKS);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> serial.execute(() -> this.runs.add(1)));
		serial.execute(() -> {
			this.runs.add(2);
			this.started.get(0).run();
			this.runs.add(4);
		});
		serial.execute(() -> this.runs.add(5));
		this.started.get(1).run();
		assertThat(this.runs).containsExactly(1, 2, 4, 5);
	}

}
