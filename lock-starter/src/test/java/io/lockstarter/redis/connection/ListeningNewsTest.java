// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests of how a subscriber is told whether it receives messages.
 */
class ListeningNewsTest {

	@Test
	void newsComeInTheOrderInWhichTheyHappenedAlthoughTheFirstTakeLong() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Recorder slow = new Recorder() {

			@Override
			public void listening(boolean active) {
				begun.countDown();
				await(goOn);
				super.listening(active);
			}

		};
		ListeningNews news = new ListeningNews(slow);
		// not of the common pool, which may have one thread
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Void> first = CompletableFuture.runAsync(() -> news.tell(true), threads);
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		CompletableFuture<Void> second = CompletableFuture.runAsync(() -> {
			news.tell(false);
			goOn.countDown();
		}, threads);
		assertThat(CompletableFuture.allOf(first, second).orTimeout(10, TimeUnit.SECONDS)).succeedsWithin(10,
				TimeUnit.SECONDS);
		assertThat(slow.events).containsExactly("listening", "deaf");
	}

	@Test
	void nothingIsToldTwice() {
		Recorder recorder = new Recorder();
		ListeningNews news = new ListeningNews(recorder);
		List.of(true, true, false, false, true).forEach(news::tell);
		assertThat(recorder.events).containsExactly("listening", "deaf", "listening");
	}

	@Test
	void listenerThatFailsIsToldWhatFollows() {
		Recorder recorder = new Recorder() {

			@Override
			public void listening(boolean active) {
				super.listening(active);
				if (active) {
					throw new IllegalStateException("on purpose");
				}
			}

		};
		ListeningNews news = new ListeningNews(recorder);
		assertThatIllegalStateException().isThrownBy(() -> news.tell(true));
		news.tell(false);
		assertThat(recorder.events).containsExactly("listening", "deaf");
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(10, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static class Recorder implements Subscriber {

		private final List<String> events = new CopyOnWriteArrayList<>();

		@Override
		public void message(String payload) {
		}

		@Override
		public void listening(boolean active) {
			this.events.add(active ? "listening" : "deaf");
		}

	}

}
