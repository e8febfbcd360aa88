// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import io.lockstarter.Lease;
import io.lockstarter.LockMode;
import io.lockstarter.LockOptions;
import io.lockstarter.memory.MemoryLockStore;
import io.lockstarter.memory.MemoryStores;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Release;

import static io.lockstarter.engine.ManualEngine.KEY;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever happens to a key, in whatever order: nobody is stuck, nobody shares it with
 * one who has it alone, and in the end the store has nothing for nobody. All orders of so
 * many events are tried.
 */
@Timeout(300)
class KeyEventsTest {

	private static final LockOptions PATIENT = LockOptions.defaults()
		.withTtl(Duration.ofMinutes(10))
		.withWaitTime(Duration.ofMinutes(5));

	@Test
	void nobodyIsStuckAndNothingIsHeldForNobody() {
		tryAllOrders(3);
	}

	@Test
	@Tag("proof")
	void nobodyIsStuckAndNothingIsHeldForNobodyWhateverHappensNext() {
		tryAllOrders(4);
	}

	private static void tryAllOrders(int events) {
		double count = Math.pow(Scene.KINDS, events);
		for (int first : new int[] { Scene.REQUEST, Scene.TRY, Scene.SHARE }) {
			for (int order = 0; order < count; order++) {
				Scene scene = new Scene();
				scene.happens(first);
				for (int i = 0, left = order; i < events; i++, left /= Scene.KINDS) {
					scene.happens(left % Scene.KINDS);
				}
				scene.end();
			}
		}
	}

	private static final class Scene {

		private static final int REQUEST = 0;

		private static final int TRY = 1;

		private static final int SHARE = 2;

		private static final int KINDS = 10;

		private final ManualEngine engine = new ManualEngine();

		private final MemoryLockStore memory = this.engine.memoryStore();

		private final Queue<Runnable> unanswered = new ArrayDeque<>();

		private final List<CompletableFuture<Lease>> requests = new ArrayList<>();

		private final List<Integer> happened = new ArrayList<>();

		private int others;

		Scene() {
			this.engine.store().actsAs(this.memory);
			this.engine.store().acquires().forward(this::answerLater);
		}

		private CompletableFuture<AcquireReply> answerLater(Acquire command) {
			CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
			AcquireReply answer = this.memory.acquire(command).join();
			this.unanswered.add(() -> reply.complete(answer));
			return reply;
		}

		void happens(int event) {
			this.happened.add(event);
			switch (event) {
				case REQUEST -> request(PATIENT);
				case TRY -> request(PATIENT.withWaitTime(Duration.ZERO));
				case SHARE -> request(PATIENT.withMode(LockMode.SHARED));
				case 3 -> request(PATIENT.withTtl(Duration.ofMinutes(20)));
				case 4 -> this.requests.get(this.requests.size() - 1).cancel(false);
				case 5 -> answer();
				case 6 -> this.leases().stream().limit(1).forEach(Lease::close);
				case 7 -> otherAcquires();
				case 8 -> otherReleases();
				case 9 -> this.engine.tickMillis(1_500);
				default -> throw new AssertionError(event);
			}
			check();
		}

		private void request(LockOptions options) {
			this.requests.add(this.engine.request(KEY, options));
		}

		private void answer() {
			Runnable answer = this.unanswered.poll();
			if (answer != null) {
				answer.run();
			}
		}

		private void otherAcquires() {
			var unused = this.memory
				.acquire(new Acquire(KEY, "other", "other:" + ++this.others, Duration.ofMinutes(10), false, 1));
		}

		private void otherReleases() {
			for (int i = 1; i <= this.others; i++) {
				var unused = this.memory.release(new Release(KEY, "other", "other:" + i, false));
			}
		}

		private List<Lease> leases() {
			return this.requests.stream()
				.filter((request) -> request.isDone() && !request.isCompletedExceptionally())
				.map(CompletableFuture::join)
				.filter(Lease::isValid)
				.toList();
		}

		private void check() {
			List<DefaultLease> held = leases().stream().map(DefaultLease.class::cast).toList();
			assertThat(held.size() < 2 || held.stream().allMatch((lease) -> lease.ownership().isShared()))
				.as("after %s: %s", this.happened, held)
				.isTrue();
		}

		/**
		 * Let whoever has the key release it, and nothing go wrong any more.
		 */
		void end() {
			otherReleases();
			for (int i = 0; i < 50 && !isOver(); i++) {
				while (!this.unanswered.isEmpty()) {
					answer();
				}
				leases().forEach(Lease::close);
				check();
				this.engine.tick(Duration.ofSeconds(1));
			}
			assertThat(this.requests).as("after %s", this.happened).allMatch(CompletableFuture::isDone);
			assertThat(this.engine.registry().leaseCount()).as("leases after %s", this.happened).isZero();
			assertThat(this.engine.registry().waiterCount()).as("who waits after %s", this.happened).isZero();
			assertThat(MemoryStores.size(this.memory)).as("keys in the store after %s", this.happened).isZero();
		}

		private boolean isOver() {
			return this.unanswered.isEmpty() && this.requests.stream().allMatch(CompletableFuture::isDone)
					&& leases().isEmpty() && MemoryStores.size(this.memory) == 0;
		}

	}

}
