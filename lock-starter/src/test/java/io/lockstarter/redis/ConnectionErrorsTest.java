// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.lettuce.core.RedisConnectionException;
import io.lockstarter.LockStoreException;
import io.lockstarter.platform.Platform;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.platform.Timer;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.redis.connection.SimulatedTransport;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.store.LockStore.Release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests of moments without memory, or without threads, on the way to Redis.
 */
class ConnectionErrorsTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final List<String> KEYS = List.of("stock:1", "stock:2", "stock:3");

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private final InjectedErrors faults = new InjectedErrors();

	private RedisLockStore store = this.redis.store(this.platform);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void errorWhileAnAnswerIsToldEndsTheCommandsOfTheCallAndTheConnection() {
		this.store.open(new Failing()).join();
		SimulatedConnection first = this.redis.connections().get(0);
		first.holdWrites();
		CompletableFuture<Boolean> told = release("stock:1");
		CompletableFuture<Boolean> beside = release("stock:2");
		first.write();
		CompletableFuture<AcquireReply> next = acquire("stock:3");
		first.write();
		CompletableFuture<Boolean> last = release("stock:4");
		first.write();
		ManualRedis.Call call = this.redis.nextCall();
		ManualRedis.Call second = this.redis.nextCall();
		call.answer(2, 1);
		assertThat(failure(told).isOutcomeUnknown()).isTrue();
		assertThat(failure(told)).hasRootCauseInstanceOf(InjectedErrors.Injected.class);
		assertThat(failure(beside).isOutcomeUnknown()).isTrue();
		second.answer(9);
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(first.isOpen()).isFalse();
		answerAll();
		assertThat(next).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(last).isCompletedWithValue(true);
	}

	@Test
	void connectionsWhoseThreadDiedAreReplaced() {
		this.store.open(new ManualRedis.Deaf()).join();
		SimulatedConnection dead = this.redis.connections().get(0);
		CompletableFuture<AcquireReply> underWay = acquire("stock:1");
		this.redis.killThreads();
		CompletableFuture<Boolean> next = release("stock:2");
		assertThat(this.redis.connections()).hasSize(1).doesNotContain(dead);
		answerAll();
		assertThat(underWay).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(next).isCompletedWithValue(true);
	}

	@Test
	void lineWhosePauseNobodyEndsGoesOnWithALaterCommand() {
		AtomicBoolean dying = new AtomicBoolean();
		Timer mortal = mock(Timer.class,
				(call) -> (call.getMethod().getName().equals("schedule") && dying.getAndSet(false)) ? Nothing.INSTANCE
						: call.getMethod().invoke(this.platform, call.getArguments()));
		this.store = ManualRedis.store(this.redis, mortal, this.platform);
		this.store.open(new ManualRedis.Deaf()).join();
		CompletableFuture<AcquireReply> putOff = acquire("stock:1");
		dying.set(true);
		this.redis.nextCall().refuse("TRYAGAIN the slot is being moved");
		this.platform.pass(Duration.ofSeconds(6));
		assertThat(this.redis.callCount()).as("calls of a line that nobody goes on with").isZero();
		CompletableFuture<Boolean> later = release("stock:2");
		answerAll();
		assertThat(putOff).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(later).isCompletedWithValue(true);
	}

	/**
	 * The thread that ends a pause may be on its way when another attempt begins, and get
	 * there when that one has failed already.
	 */
	@Test
	void pauseThatEndsWhileItIsCancelledLeadsToNoAttempt() {
		AtomicInteger attempts = new AtomicInteger();
		SimulatedTransport.Dialler down = (address) -> {
			attempts.incrementAndGet();
			return CompletableFuture.failedFuture(new RedisConnectionException("refused"));
		};
		Timer late = mock(Timer.class, (call) -> {
			Object cancellation = call.getMethod().invoke(this.platform, call.getArguments());
			return call.getMethod().getName().equals("schedule") ? Nothing.INSTANCE : cancellation;
		});
		this.store = ManualRedis.store(down, late, this.platform);
		CompletableFuture<Boolean> first = release("stock:1");
		this.platform.pass(Duration.ofMillis(30));
		assertThat(failure(first)).hasMessageContaining("refused");
		this.store.close();
		var unused = release("stock:1");
		assertThat(attempts).hasValue(2);
		this.platform.pass(Duration.ofMillis(30));
		assertThat(attempts).as("when the first pause is over").hasValue(2);
		this.platform.pass(Duration.ofMillis(100));
		assertThat(attempts).as("when the second pause is over").hasValue(3);
	}

	/**
	 * Nothing is stuck, whichever step it is that fails.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 7 })
	void everyKeyWorksAfterAnErrorAtAnyStep(int length) {
		int turn = 0;
		do {
			SimulatedPlatform time = new SimulatedPlatform(turn);
			ManualRedis server = new ManualRedis();
			try (RedisLockStore failing = ManualRedis.store(this.faults.in(SimulatedTransport.Dialler.class, server),
					this.faults.in(Timer.class, time), this.faults.in(Platform.class, time))) {
				Scenario scenario = new Scenario(failing, server, time);
				this.faults.begin(turn, length);
				scenario.play();
				this.faults.end();
				for (String key : KEYS) {
					scenario.works(key, turn);
				}
			}
			turn++;
		}
		while (this.faults.reached());
		assertThat(turn).as("turns").isGreaterThan(50);
	}

	private void answerAll() {
		while (this.redis.callCount() > 0) {
			this.redis.nextCall().succeed();
		}
	}

	private CompletableFuture<AcquireReply> acquire(String key) {
		return this.store.acquire(new Acquire(key, "app", "app:1", TTL, false, 1));
	}

	private CompletableFuture<Boolean> release(String key) {
		return this.store.release(new Release(key, "app", "app:1", false));
	}

	private static LockStoreException failure(CompletableFuture<?> reply) {
		assertThat(reply).isCompletedExceptionally();
		return (LockStoreException) catchThrowableOfType(CompletionException.class, reply::join).getCause();
	}

	/**
	 * What happens to a store while steps of it fail.
	 */
	private record Scenario(RedisLockStore store, ManualRedis server, SimulatedPlatform time) {

		void play() {
			InjectedErrors.tried(() -> {
				var unused = this.store.open(new ManualRedis.Deaf());
			});
			KEYS.forEach(this::send);
			pass(100);
			this.server.connections().stream().toList().forEach((connection) -> InjectedErrors.tried(connection::cut));
			KEYS.forEach(this::send);
			pass(100);
			if (this.server.callCount() > 0) {
				ManualRedis.Call call = this.server.nextCall();
				InjectedErrors.tried(() -> call.refuse("TRYAGAIN the slot is being moved"));
			}
			pass(200);
			answerAll();
			KEYS.forEach(this::send);
			answerAll();
		}

		private void send(String key) {
			InjectedErrors.tried(() -> {
				var unused = this.store.acquire(new Acquire(key, "app", "app:1", TTL, false, 1));
			});
			InjectedErrors.tried(() -> {
				var unused = this.store.release(new Release(key, "app", "app:1", false));
			});
		}

		void works(String key, int turn) {
			for (int seconds = 0; seconds < 60; seconds++) {
				CompletableFuture<AcquireReply> acquired = this.store
					.acquire(new Acquire(key, "app", "app:2", TTL, false, 1));
				pass(500);
				answerAll();
				if (acquired.isDone() && !acquired.isCompletedExceptionally()) {
					return;
				}
				// as who sends it does after a while
				acquired.cancel(false);
				pass(500);
			}
			throw new AssertionError("%s is stuck after turn %d".formatted(key, turn));
		}

		private void answerAll() {
			while (this.server.callCount() > 0) {
				ManualRedis.Call call = this.server.nextCall();
				InjectedErrors.tried(call::succeed);
			}
		}

		private void pass(int millis) {
			InjectedErrors.tried(() -> this.time.pass(Duration.ofMillis(millis)));
		}

	}

	private static final class Failing implements ConnectionListener {

		@Override
		public void reconnected() {
		}

		@Override
		public void reordered(int partition, Duration ago) {
		}

		@Override
		public void forced(String key, String ownerId) {
			throw new InjectedErrors.Injected();
		}

	}

	/**
	 * The cancellation of what is never done.
	 */
	private enum Nothing implements Runnable {

		INSTANCE;

		@Override
		public void run() {
		}

	}

}
