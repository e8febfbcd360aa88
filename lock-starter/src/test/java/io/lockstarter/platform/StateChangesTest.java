// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.platform;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of how somebody is told whether something is so.
 */
class StateChangesTest {

	@Test
	void newsComeInTheOrderInWhichTheyHappenedAlthoughTheFirstTakeLong() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Recorder slow = new Recorder() {

			@Override
			public void accept(Boolean active) {
				if (active) {
					begun.countDown();
					await(goOn);
				}
				super.accept(active);
			}

		};
		StateChanges news = new StateChanges(null, slow);
		// not of the common pool, which may have one thread
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> change(news, true), threads);
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
			change(news, false);
			goOn.countDown();
		}, threads);
		assertThat(CompletableFuture.allOf(first, second).orTimeout(10, TimeUnit.SECONDS)).succeedsWithin(10,
				TimeUnit.SECONDS);
		assertThat(slow.events).containsExactly(true, false);
	}

	@Test
	void nothingIsToldTwice() {
		Recorder recorder = new Recorder();
		StateChanges news = new StateChanges(null, recorder);
		List.of(true, true, false, false, true).forEach((state) -> change(news, state));
		assertThat(recorder.events).containsExactly(true, false, true);
	}

	@Test
	void whatIsKnownBeforeIsNotTold() {
		Recorder recorder = new Recorder();
		StateChanges known = new StateChanges(false, recorder);
		List.of(false, true, true).forEach((state) -> change(known, state));
		assertThat(recorder.events).containsExactly(true);
	}

	@Test
	void changeThatIsTakenBackBeforeItIsToldIsTold() {
		Recorder recorder = new Recorder();
		StateChanges changes = new StateChanges(true, recorder);
		changes.note(false);
		changes.note(true);
		changes.tell();
		assertThat(recorder.events).containsExactly(false, true);
	}

	@Test
	void listenerThatFailsIsToldWhatFollows() {
		Recorder recorder = new Recorder() {

			@Override
			public void accept(Boolean active) {
				super.accept(active);
				if (active) {
					throw new IllegalStateException("on purpose");
				}
			}

		};
		StateChanges news = new StateChanges(null, recorder);
		assertThatIllegalStateException().isThrownBy(() -> change(news, true));
		change(news, false);
		assertThat(recorder.events).containsExactly(true, false);
	}

	@Test
	void whatIsLeftToAThreadThatFailsIsTold() {
		Recorder recorder = new Recorder();
		StateChanges[] made = new StateChanges[1];
		made[0] = new StateChanges(null, (active) -> {
			recorder.accept(active);
			if (active) {
				change(made[0], false);
				throw new IllegalStateException("on purpose");
			}
		});
		assertThatIllegalStateException().isThrownBy(() -> change(made[0], true));
		assertThat(recorder.events).containsExactly(true, false);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void change(StateChanges changes, boolean state) {
		changes.note(state);
		changes.tell();
	}

	private static class Recorder implements Consumer<Boolean> {

		private final List<Boolean> events = new CopyOnWriteArrayList<>();

		@Override
		public void accept(Boolean active) {
			this.events.add(active);
		}

	}

}
