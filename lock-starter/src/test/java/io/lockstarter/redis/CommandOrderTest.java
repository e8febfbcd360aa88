// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.platform.SimulatedPlatform;
import io.lockstarter.redis.connection.SimulatedConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The order in which commands are sent again.
 */
class CommandOrderTest {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final String TRY_AGAIN = "TRYAGAIN Multiple keys request during rehashing of slot";

	private static final String NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

	private final SimulatedPlatform platform = new SimulatedPlatform(1);

	private final ManualRedis redis = new ManualRedis();

	private final RedisLockStore store = this.redis.store(this.platform);

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void commandsThatWerePutOffAreSentOverTheNextConnectionInTheirOrder() {
		List<String> keys = IntStream.range(0, 30).mapToObj((i) -> "key" + i).toList();
		assertThat(this.store.open(new ManualRedis.Deaf())).isCompleted();
		SimulatedConnection first = this.redis.connections().get(0);
		first.holdWrites();
		keys.forEach((key) -> {
			var unused = acquire(key);
		});
		first.write();
		ManualRedis.Call call = this.redis.nextCall();
		assertThat(call.locked()).as("in one call").containsExactlyElementsOf(keys);
		call.refuse("TRYAGAIN the slot is being moved");
		first.cut();
		this.platform.pass(Duration.ofMillis(50));
		List<String> again = new ArrayList<>();
		while (this.redis.callCount() > 0) {
			again.addAll(this.redis.nextCall().locked());
		}
		assertThat(again).containsExactlyElementsOf(keys);
	}

	@Test
	void whatWasNotWrittenWhenAServerRefusesStaysBehindWhatWasRefused() {
		open();
		SimulatedConnection first = this.redis.connections().get(0);
		var unused = acquire("a");
		first.holdWrites();
		var unusedEither = acquire("b");
		this.redis.nextCall().refuse("READONLY You can't write against a read only replica.");
		this.platform.pass(Duration.ofMillis(200));
		List<String> again = new ArrayList<>();
		while (this.redis.callCount() > 0) {
			again.addAll(this.redis.nextCall().locked());
		}
		assertThat(again).containsExactly("a", "b");
	}

	@Test
	void repliesBelongToWhatWasWrittenIfACommandWasWithdrawnBefore() {
		open();
		SimulatedConnection connection = this.redis.connections().get(0);
		connection.holdWrites();
		CompletableFuture<AcquireReply> first = acquire("a");
		CompletableFuture<AcquireReply> withdrawn = acquire("b");
		CompletableFuture<AcquireReply> last = acquire("c");
		withdrawn.cancel(false);
		connection.write();
		ManualRedis.Call call = this.redis.nextCall();
		assertThat(call.locked()).containsExactly("a", "c");
		call.answer(101L, 301L);
		assertThat(first).isCompletedWithValueMatching((reply) -> ((Acquired) reply).firstToken() == 101);
		assertThat(last).isCompletedWithValueMatching((reply) -> ((Acquired) reply).firstToken() == 301);
	}

	/**
	 * Its reply comes all the same.
	 */
	@Test
	void repliesBelongToWhatWasWrittenIfACommandIsWithdrawnAfterwards() {
		open();
		SimulatedConnection connection = this.redis.connections().get(0);
		connection.holdWrites();
		CompletableFuture<AcquireReply> first = acquire("a");
		CompletableFuture<AcquireReply> withdrawn = acquire("b");
		CompletableFuture<AcquireReply> last = acquire("c");
		connection.write();
		withdrawn.cancel(false);
		ManualRedis.Call call = this.redis.nextCall();
		call.answer(101L, 201L, 301L);
		assertThat(first).isCompletedWithValueMatching((reply) -> ((Acquired) reply).firstToken() == 101);
		assertThat(last).isCompletedWithValueMatching((reply) -> ((Acquired) reply).firstToken() == 301);
	}

	@Test
	void nothingOvertakesWhatIsPutOff() {
		open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:42");
		this.redis.nextCall().refuse(TRY_AGAIN);
		CompletableFuture<Boolean> released = release("stock:42");
		assertThat(this.redis.callCount()).as("calls while the first command is put off").isZero();
		this.platform.pass(Duration.ofMillis(100));
		ManualRedis.Call call = this.redis.nextCall();
		assertThat(call.locked()).containsExactly("stock:42", "stock:42");
		call.answer(7, 1);
		assertThat(acquired).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(released).isCompletedWithValue(true);
	}

	@Test
	void commandThatIsOvertakenByOneUnderWayIsNotSentAgain() {
		open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:42");
		CompletableFuture<AcquireReply> other = acquire("stock:43");
		CompletableFuture<Boolean> released = release("stock:42");
		this.redis.nextCall().refuse(TRY_AGAIN);
		this.redis.nextCall().refuse(TRY_AGAIN);
		assertThat(acquired).isNotDone();
		this.redis.nextCall().answer(0);
		assertThat(released).isCompletedWithValue(false);
		LockStoreException failure = failure(acquired);
		assertThat(failure.isOutcomeUnknown()).isFalse();
		assertThat(failure.isTransient()).isTrue();
		this.platform.pass(Duration.ofMillis(100));
		ManualRedis.Call again = this.redis.nextCall();
		assertThat(again.locked()).as("what nobody has overtaken").containsExactly("stock:43");
		again.answer(7);
		assertThat(other).isCompletedWithValueMatching(Acquired.class::isInstance);
	}

	@Test
	void commandThatIsOvertakenInItsCallIsNotSentAgain() {
		open();
		SimulatedConnection connection = this.redis.connections().get(0);
		connection.holdWrites();
		CompletableFuture<AcquireReply> acquired = acquire("stock:42");
		CompletableFuture<Boolean> released = release("stock:42");
		connection.write();
		this.redis.nextCall().answer("!ERR Script attempted to access a non local key in a cluster node", 0);
		assertThat(released).isCompletedWithValue(false);
		assertThat(failure(acquired).isOutcomeUnknown()).isFalse();
		this.platform.pass(Duration.ofMillis(100));
		connection.write();
		assertThat(this.redis.nextCall().locked()).isEmpty();
	}

	@Test
	void whatIsPutOffWaitsForAllThatIsUnderWay() {
		open();
		var unused = acquire("stock:42");
		var unused2 = release("stock:42");
		ManualRedis.Call first = this.redis.nextCall();
		ManualRedis.Call second = this.redis.nextCall();
		first.refuse(TRY_AGAIN);
		this.platform.pass(Duration.ofSeconds(1));
		assertThat(this.redis.callCount()).as("calls before the second is answered").isZero();
		second.refuse(TRY_AGAIN);
		this.platform.pass(Duration.ofMillis(100));
		assertThat(this.redis.nextCall().commands()).containsExactly("acquire", "release");
	}

	@Test
	void commandsStayInOrderThoughTheServerForgotTheScript() {
		open();
		var unused = acquire("stock:42");
		var unused2 = release("stock:42");
		this.redis.nextCall().refuse(NO_SCRIPT);
		var unused3 = acquire("stock:42");
		assertThat(this.redis.callCount()).as("calls under way").isOne();
		this.redis.nextCall().refuse(NO_SCRIPT);
		ManualRedis.Call again = this.redis.nextCall();
		assertThat(again.isInFull()).isTrue();
		assertThat(again.commands()).containsExactly("acquire", "release", "acquire");
		var unused4 = acquire("stock:43");
		assertThat(this.redis.nextCall().isInFull()).isFalse();
	}

	/**
	 * As when another client loads the script meanwhile.
	 */
	@Test
	void commandWhoseScriptWasUnknownIsNotExecutedAfterALaterOne() {
		open();
		CompletableFuture<AcquireReply> acquired = acquire("stock:42");
		CompletableFuture<Boolean> released = release("stock:42");
		this.redis.nextCall().refuse(NO_SCRIPT);
		this.redis.nextCall().answer(0);
		assertThat(released).isCompletedWithValue(false);
		assertThat(failure(acquired).isOutcomeUnknown()).isFalse();
	}

	@Test
	void commandsOfACallThatFailedAreSentOneByOneBeforeLaterOnes() {
		open();
		SimulatedConnection connection = this.redis.connections().get(0);
		connection.holdWrites();
		var unused = acquire("stock:42");
		var unused2 = acquire("stock:43");
		connection.write();
		var unused3 = release("stock:44");
		connection.write();
		this.redis.nextCall().refuse("ERR user_script:368: too many results to unpack");
		var unused4 = release("stock:43");
		connection.write();
		ManualRedis.Call underWay = this.redis.nextCall();
		assertThat(underWay.locked()).containsExactly("stock:44");
		assertThat(this.redis.callCount()).as("calls before that one is answered").isZero();
		underWay.answer(1);
		connection.write();
		assertThat(this.redis.nextCall().locked()).containsExactly("stock:42");
		ManualRedis.Call second = this.redis.nextCall();
		assertThat(second.locked()).containsExactly("stock:43");
		assertThat(second.commands()).containsExactly("acquire");
		assertThat(this.redis.nextCall().commands()).containsExactly("release");
	}

	@Test
	void commandsOfALostConnectionAreSentAgainInTheirOrderThoughSomeWereNotWritten() {
		open();
		SimulatedConnection first = this.redis.connections().get(0);
		var unused = acquire("stock:42");
		var unused2 = acquire("stock:43");
		first.holdWrites();
		var unused3 = release("stock:43");
		this.redis.nextCall().refuse("MOVED 1 redis:6379");
		first.cut();
		this.platform.pass(Duration.ofMillis(100));
		List<String> again = new ArrayList<>();
		while (this.redis.callCount() > 0) {
			again.addAll(this.redis.nextCall().commands());
		}
		assertThat(again).containsExactly("acquire", "acquire", "release");
	}

	@Test
	void commandThatNeedsAllKeysOfItsLockIsSentAgainWithThemBehindWhatCameMeanwhile() {
		open();
		CompletableFuture<Boolean> released = release("stock:42");
		ManualRedis.Call call = this.redis.nextCall();
		assertThat(call.words()).contains("2", "{lock}lock:stock:42").doesNotContain("{lock}queue:stock:42", "+");
		var unused = acquire("stock:42");
		call.answer("+");
		assertThat(released).isNotDone();
		this.redis.nextCall().succeed();
		ManualRedis.Call again = this.redis.nextCall();
		assertThat(again.words()).containsSubsequence("5", "{lock}fence", "{lock}lock:stock:42", "{lock}queue:stock:42",
				"{lock}readers:stock:42", "{lock}forced:stock:42", "", "+", "release", "app:1");
		again.answer(1);
		assertThat(released).isCompletedWithValue(true);
	}

	@Test
	void commandThatHasAllKeysOfItsLockIsNotSentAgain() {
		open();
		CompletableFuture<Boolean> released = release("stock:42");
		this.redis.nextCall().answer("+");
		this.redis.nextCall().answer("+");
		assertThat(this.redis.callCount()).isZero();
		assertThat(released).isCompletedWithValue(false);
	}

	@Test
	void commandThatWasWithdrawnIsNotSentAgainWithAllKeysOfItsLock() {
		open();
		CompletableFuture<Boolean> released = release("stock:42");
		ManualRedis.Call call = this.redis.nextCall();
		this.redis.connections().get(0).holdWrites();
		call.answer("+");
		released.cancel(false);
		this.redis.connections().get(0).write();
		assertThat(this.redis.nextCall().commands()).isEmpty();
	}

	@Test
	void commandThatWasPerhapsExecutedBeforeItIsSentAgainWithAllKeysKnowsSo() {
		open();
		CompletableFuture<Boolean> released = release("stock:42");
		var unused = this.redis.nextCall();
		this.redis.connections().get(0).cut();
		this.platform.pass(Duration.ofMillis(100));
		this.redis.nextCall().answer("+");
		this.redis.nextCall().answer(0);
		assertThat(failure(released).isOutcomeUnknown()).isTrue();
	}

	@Test
	void commandsOfSeveralLocksAreSentAgainWithAllKeysOfEach() {
		open();
		var renewed = this.store.renew(List.of(new Renew("a", "app:1", TTL), new Renew("b", "app:2", TTL)));
		this.redis.nextCall().answer("+");
		ManualRedis.Call again = this.redis.nextCall();
		assertThat(again.words()).containsSubsequence("9", "{lock}lock:a", "{lock}queue:a", "{lock}readers:a",
				"{lock}forced:a", "{lock}lock:b", "{lock}queue:b", "{lock}readers:b", "{lock}forced:b", "", "+again",
				"renew");
		again.answer("10");
		assertThat(renewed).isCompletedWithValue(List.of(true, false));
	}

	private void open() {
		assertThat(this.store.open(new ManualRedis.Deaf())).isCompleted();
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

}
