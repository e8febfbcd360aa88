// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lockstarter.LockStoreException;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.connection.SimulatedConnection;
import io.lockstarter.redis.connection.SimulatedTransport;
import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.Resp;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Signals;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.InOrder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * When a line leaves its connection, and what becomes of commands meanwhile.
 */
class LineTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final String TRY_AGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";

	private static final String READ_ONLY = "READONLY You can't write against a read only replica.";

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private RedisLockStore store = this.redis.store(this.platform);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void connectionThatSaidNothingIsReplacedWhenACommandIsGivenUp() {
		SimulatedConnection silent = open();
		this.platform.pass(Duration.ofMillis(1));
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(500));
		CompletableFuture<Boolean> released = release("stock:2");
		acquired.cancel(false);
		assertThat(silent.isOpen()).isFalse();
		this.platform.pass(Duration.ofMillis(50));
		assertThat(this.redis.nextCall().locked()).as("what was not given up").containsExactly("stock:2");
		assertThat(released).isNotDone();
	}

	@Test
	void signalsComeOverTheConnectionThatReplacesASilentOne() {
		SimulatedConnection silent = open();
		Signals signals = mock();
		this.store.listen("app", signals);
		assertThat(this.redis.connections()).containsExactly(silent);
		this.platform.pass(Duration.ofMillis(1));
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(500));
		acquired.cancel(false);
		this.platform.pass(Duration.ofMillis(50));
		assertThat(this.redis.connections()).hasSize(1).doesNotContain(silent);
		this.redis.connections().get(0).push(List.of("message", "{lock}signal:app", "rstock:1"));
		InOrder order = inOrder(signals);
		order.verify(signals).listening(true);
		order.verify(signals).listening(false);
		order.verify(signals).listening(true);
		order.verify(signals).reserved("stock:1");
		order.verifyNoMoreInteractions();
	}

	@Test
	void connectionThatAnsweredSinceIsKeptWhenACommandIsGivenUp() {
		SimulatedConnection slow = open();
		var unused = release("stock:2");
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(500));
		this.redis.nextCall().answer(1);
		acquired.cancel(false);
		assertThat(slow.isOpen()).isTrue();
	}

	/**
	 * Its time is that of its caller, and most of it is over when the first connection is
	 * lost.
	 */
	@Test
	void connectionThatHadLittleTimeToAnswerIsKeptWhenACommandIsGivenUp() {
		SimulatedConnection lost = open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(900));
		this.redis.slowDown(this.platform, Duration.ofMillis(5));
		lost.cut();
		this.platform.pass(Duration.ofMillis(57));
		SimulatedConnection next = this.redis.connections().get(0);
		// after the last answer of the handshake, and not in the same moment
		next.holdWrites();
		this.platform.pass(Duration.ofMillis(23));
		CompletableFuture<Boolean> released = release("stock:2");
		next.write();
		this.platform.pass(Duration.ofMillis(20));
		acquired.cancel(false);
		assertThat(next.isOpen()).isTrue();
		this.platform.pass(Duration.ofSeconds(1));
		released.cancel(false);
		assertThat(next.isOpen()).isFalse();
	}

	@Test
	void whatIsUnderWayIsAnsweredBeforeAServerThatRefusesIsLeft() {
		SimulatedConnection former = open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		CompletableFuture<Boolean> released = release("stock:2");
		ManualRedis.Call refused = this.redis.nextCall();
		ManualRedis.Call other = this.redis.nextCall();
		refused.refuse(READ_ONLY);
		CompletableFuture<Boolean> later = release("stock:3");
		assertThat(former.isOpen()).isTrue();
		assertThat(this.redis.callCount()).as("calls to a server that is to be left").isZero();
		other.answer(1);
		assertThat(released).isCompletedWithValue(true);
		assertThat(former.isOpen()).isFalse();
		this.platform.pass(Duration.ofMillis(100));
		ManualRedis.Call again = this.redis.nextCall();
		assertThat(again.locked()).containsExactly("stock:1", "stock:3");
		again.answer(7, 0);
		assertThat(acquired).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(later).as("it was sent once").isCompletedWithValue(false);
	}

	@Test
	void serverThatRefusesAndThenFallsSilentIsLeftWhenACommandIsGivenUp() {
		SimulatedConnection former = open();
		var unused = acquire("stock:1");
		CompletableFuture<Boolean> released = release("stock:2");
		this.redis.nextCall().refuse(READ_ONLY);
		// the other is never answered
		released.cancel(false);
		assertThat(former.isOpen()).as("it answered since").isTrue();
		this.platform.pass(Duration.ofMillis(1));
		CompletableFuture<Boolean> later = release("stock:3");
		this.platform.pass(Duration.ofMillis(500));
		later.cancel(false);
		assertThat(former.isOpen()).isFalse();
	}

	@Test
	void slotInMotionIsWaitedForASecondWhateverElseSucceeds() {
		open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		Duration waited = Duration.ZERO;
		while (!acquired.isDone()) {
			var unused = release("stock:2");
			while (this.redis.callCount() > 0) {
				ManualRedis.Call call = this.redis.nextCall();
				if (call.locked().contains("stock:1")) {
					call.refuse(TRY_AGAIN);
				}
				else {
					call.succeed();
				}
			}
			this.platform.pass(Duration.ofMillis(10));
			waited = waited.plusMillis(10);
		}
		assertThat(waited).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1300));
	}

	@Test
	void slotInMotionKeepsTheConnection() {
		ConnectionListener listener = mock();
		assertThat(this.store.open(listener)).isCompleted();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		int refused = 0;
		for (int i = 0; i < 50; i++) {
			if (this.redis.callCount() > 0) {
				this.redis.nextCall().refuse(TRY_AGAIN);
				refused++;
			}
			this.platform.pass(Duration.ofMillis(10));
		}
		this.platform.pass(Duration.ofMillis(100));
		this.redis.nextCall().succeed();
		assertThat(acquired).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(refused).as("tries, with 50 to 100 ms between them").isBetween(5, 10);
		assertThat(this.redis.dialled()).as("connections").isOne();
		verify(listener, never()).reconnected();
		verify(listener, never()).reordered(anyInt(), any());
	}

	@Test
	void commandThatIsGivenUpWhileTheSlotIsInMotionSaysNothingOfTheConnection() {
		SimulatedConnection resting = open();
		var unused = acquire("stock:1");
		this.redis.nextCall().refuse(TRY_AGAIN);
		this.platform.pass(Duration.ofMillis(1));
		CompletableFuture<Boolean> released = release("stock:2");
		this.platform.pass(Duration.ofMillis(20));
		assertThat(this.redis.callCount()).isZero();
		released.cancel(false);
		assertThat(resting.isOpen()).isTrue();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void connectionThatFallsSilentWhileTheSlotIsInMotionIsReplaced(boolean held) {
		SimulatedConnection silent = open();
		var unused = acquire("stock:1");
		if (held) {
			// never answered, and so nothing else is written
			var unused2 = release("stock:2");
		}
		this.redis.nextCall().refuse(TRY_AGAIN);
		this.platform.pass(Duration.ofMillis(1));
		CompletableFuture<Boolean> later = release("stock:3");
		this.platform.pass(Duration.ofMillis(500));
		later.cancel(false);
		assertThat(silent.isOpen()).isFalse();
		this.platform.pass(Duration.ofMillis(50));
		assertThat(this.redis.dialled()).isEqualTo(2);
	}

	/**
	 * It is open, but no later answer can be told from the one that is missing.
	 */
	@Test
	void connectionThatFailedACallIsReplacedAtOnce() {
		SimulatedConnection failed = open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		this.redis.nextCall().answer(7);
		CompletableFuture<Boolean> released = release("stock:1");
		failed.fail(new IllegalStateException("no such reply"));
		assertThat(failed.isOpen()).isFalse();
		this.redis.nextCall().answer(1);
		assertThat(acquired).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(released).as("what was sent again").isCompletedWithValue(true);
	}

	/**
	 * One that does not answer is dead for all who use it.
	 */
	@ParameterizedTest
	@CsvSource({ "true, false", "false, true" })
	void connectionOfTwoLinesIsClosedIfOneIsNotAnswered(boolean silent, boolean kept) {
		Node node = new Node();
		this.store = clusterOf(node);
		CompletableFuture<AcquireReply> first = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(10));
		assertThat(first).isCompleted();
		SimulatedConnection shared = node.last;
		node.silent = silent;
		node.error = READ_ONLY;
		CompletableFuture<AcquireReply> other = acquire("stock:2");
		this.platform.pass(Duration.ofMillis(500));
		assertThat(other).isNotDone();
		other.cancel(false);
		assertThat(shared.isOpen()).isEqualTo(kept);
	}

	/**
	 * The cluster goes on naming the one that has the slot no more.
	 */
	@Test
	void nodeThatAnotherOneNamesIsFollowedAfterTheLongestPause() {
		Node node = new Node();
		Node other = new Node();
		this.store = clusterOf((address) -> (address.getHost().equals("other") ? other : node).dial(address));
		CompletableFuture<AcquireReply> first = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(10));
		assertThat(first).isCompleted();
		node.unreachable = true;
		node.last.cut();
		this.platform.pass(Duration.ofSeconds(20));
		node.unreachable = false;
		node.error = "MOVED %d other:6379";
		this.platform.pass(Duration.ofSeconds(5));
		CompletableFuture<AcquireReply> second = acquire("stock:1");
		this.platform.pass(Duration.ofMillis(10));
		assertThat(second).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(other.last.isOpen()).isTrue();
	}

	/**
	 * A server that became a replica would be tried again and again.
	 */
	@Test
	void connectionThatRefusedAtOnceIsReplacedAfterAPause() {
		open();
		var unused = acquire("stock:1");
		this.redis.nextCall().refuse(READ_ONLY);
		assertThat(this.redis.connections()).isEmpty();
		this.platform.pass(Duration.ofMillis(50));
		assertThat(this.redis.connections()).hasSize(1);
	}

	@Test
	void serverThatIsAReplicaForLongIsTriedOnceInASecond() {
		open();
		for (int i = 0; i < 1000; i++) {
			if (i % 10 == 0) {
				var unused = release("stock:2");
				var unused2 = acquire("stock:1");
			}
			while (this.redis.callCount() > 0) {
				ManualRedis.Call call = this.redis.nextCall();
				// what writes nothing is served
				call.answer(call.commands()
					.stream()
					.map((name) -> name.equals("acquire") ? (Object) ("!" + READ_ONLY) : (Object) 0)
					.toArray());
			}
			this.platform.pass(Duration.ofMillis(10));
		}
		assertThat(this.redis.dialled()).as("connections in 10 s").isBetween(10, 16);
	}

	@Test
	void slotThatIsInMotionForLongFailsCommandsAsRefused() {
		open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		Duration waited = Duration.ZERO;
		while (!acquired.isDone()) {
			if (this.redis.callCount() > 0) {
				this.redis.nextCall().refuse(TRY_AGAIN);
			}
			this.platform.pass(Duration.ofMillis(10));
			waited = waited.plusMillis(10);
		}
		assertThat(waited).isBetween(Duration.ofSeconds(1), Duration.ofMillis(1200));
		LockStoreException failure = failure(acquired);
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(failure.isTransient()).isTrue();
		assertThat(failure).hasMessageContaining("TRYAGAIN");
	}

	@Test
	void commandsThatWaitAreSentInTheirOrderAfterALoss() {
		SimulatedConnection lost = open();
		this.redis.slowDown(this.platform, Duration.ofMillis(100));
		var unused = acquire("stock:1");
		var unused2 = acquire("stock:2");
		lost.cut();
		var unused3 = release("stock:1");
		this.platform.pass(Duration.ofMillis(500));
		List<String> sent = new ArrayList<>();
		while (this.redis.callCount() > 0) {
			ManualRedis.Call call = this.redis.nextCall();
			sent.addAll(call.locked());
			call.succeed();
		}
		assertThat(sent).containsExactly("stock:1", "stock:2", "stock:1");
	}

	@Test
	void replicasAreAskedRightBehindTheCall() {
		this.store = withReplicas();
		SimulatedConnection connection = open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		CompletableFuture<AcquireReply> busy = acquire("stock:2");
		assertThat(this.redis.waits()).as("questions before the first answer").isOne();
		this.redis.nextCall().answer(7);
		assertThat(acquired).isNotDone();
		connection.reply(1);
		assertThat(acquired).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(this.redis.waits()).isOne();
		this.redis.nextCall().answer("100 0 0 other:1");
		assertThat(busy).as("of that, nobody has to know").isCompletedWithValueMatching(Busy.class::isInstance);
		assertThat(this.redis.waits()).isOne();
	}

	@Test
	void whatIsAcquiredBehindAQuestionHasTheNext() {
		this.store = withReplicas();
		SimulatedConnection connection = open();
		var unused = acquire("stock:1");
		CompletableFuture<AcquireReply> second = acquire("stock:1");
		this.redis.nextCall().answer(7);
		connection.reply(1);
		this.redis.nextCall().answer(8);
		assertThat(second).isNotDone();
		assertThat(this.redis.waits()).isEqualTo(2);
		connection.reply(1);
		assertThat(second).isCompletedWithValueMatching(Acquired.class::isInstance);
	}

	@Test
	void whatReplicasDoNotKnowWhenTheConnectionIsLostIsSentAgain() {
		this.store = withReplicas();
		SimulatedConnection lost = open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:1");
		this.redis.nextCall().answer(7);
		lost.cut();
		this.platform.pass(Duration.ofMillis(100));
		ManualRedis.Call again = this.redis.nextCall();
		assertThat(again.locked()).containsExactly("stock:1");
		again.answer(7);
		assertThat(acquired).isNotDone();
		assertThat(this.redis.waits()).isEqualTo(2);
	}

	@Test
	void storeThatIsClosedAmidAnswersStaysClosed() {
		this.store = withReplicas();
		SimulatedConnection lost = open();
		this.redis.slowDown(this.platform, Duration.ofMillis(10));
		lost.cut();
		CompletableFuture<?> closed = acquire("stock:1").thenRun(() -> this.store.close());
		CompletableFuture<AcquireReply> kept = acquire("stock:2");
		this.platform.pass(Duration.ofMillis(200));
		int dialled = this.redis.dialled();
		ManualRedis.Call call = this.redis.nextCall();
		assertThat(call.locked()).containsExactly("stock:1", "stock:2");
		call.answer("100 0 0 other:1", 8);
		assertThat(closed).isCompleted();
		assertThat(failure(kept).isOutcomeUnknown()).isTrue();
		this.platform.pass(Duration.ofSeconds(5));
		assertThat(this.redis.connections()).isEmpty();
		assertThat(this.redis.dialled()).isEqualTo(dialled);
	}

	/**
	 * All three say at the same time that they listen, over two channels each.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 0, 1 })
	void electionsAreLookedForTwiceHoweverManySentinelsThereAre(int replicas) {
		RedisURI address = RedisURI.Builder.sentinel("a", "primary").withSentinel("b").withSentinel("c").build();
		this.store = ManualRedis.store(address, this.redis, this.platform, this.platform,
				RedisStoreSettings.defaults().withReplicasAcknowledged(replicas));
		this.redis.slowDown(this.platform, Duration.ofMillis(10));
		var unused = this.store.open(new ManualRedis.Deaf());
		this.platform.pass(Duration.ofSeconds(1));
		int lines = 1 + replicas;
		assertThat(this.redis.connections()).as("of lines and to Sentinels").hasSize(lines + 3);
		assertThat(this.redis.dialled() - this.redis.connections().size()).as("looks").isEqualTo(2);
	}

	private RedisLockStore clusterOf(SimulatedTransport.Dialler nodes) {
		return new RedisLockStore(SimulatedTransport.application(nodes, () -> this.platform,
				List.of(RedisURI.create("redis://node")), true, this.platform), RedisStoreSettings.defaults());
	}

	private RedisLockStore withReplicas() {
		return ManualRedis.store(this.redis, this.platform, this.platform,
				RedisStoreSettings.defaults().withReplicasAcknowledged(1));
	}

	private SimulatedConnection open() {
		assertThat(this.store.open(new ManualRedis.Deaf())).isCompleted();
		return this.redis.connections().get(0);
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
	 * A node of a cluster, which answers at once.
	 */
	private static final class Node implements SimulatedTransport.Dialler, SimulatedConnection.Peer {

		private SimulatedConnection last;

		private boolean unreachable;

		private boolean silent;

		private @Nullable String error;

		@Override
		public CompletableFuture<SimulatedConnection> dial(RedisURI address) {
			if (this.unreachable) {
				return CompletableFuture.failedFuture(new RedisConnectionException("refused"));
			}
			this.last = SimulatedConnection.open(this);
			return CompletableFuture.completedFuture(this.last);
		}

		@Override
		public void received(SimulatedConnection connection, List<byte[]> request) {
			List<String> words = Resp.words(request);
			switch (words.get(0)) {
				case "INFO" -> connection.reply(
						"role:master\r\nredis_mode:cluster\r\nrun_id:a1\r\nmaster_replid:b1\r\nredis_version:7.4.0\r\n");
				case "CLUSTER" -> connection.reply(List.of(List.of(0, 16383, List.of("node", 6379))));
				case "SSUBSCRIBE" -> connection.push(List.of("ssubscribe", words.get(1), 1));
				default -> {
					if (!this.silent) {
						boolean empty = words.get(2).equals("2");
						connection.reply((this.error != null)
								? new Reply.Failure(this.error.formatted(SlotHash.getSlot(words.get(3))))
								: empty ? List.of() : List.of(7));
					}
				}
			}
		}

		@Override
		public void closed(SimulatedConnection connection) {
		}

	}

}
