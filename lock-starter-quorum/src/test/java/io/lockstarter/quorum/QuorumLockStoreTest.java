// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockMode;
import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.store.LockStore.Signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * {@link QuorumLockStore} with nodes that fail in every way.
 */
class QuorumLockStoreTest {

	private static final String KEY = "k";

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration SHORT_TTL = Duration.ofSeconds(1);

	private static final Duration MAX_TTL = Duration.ofMinutes(1);

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

	private final ManualTimer timer = new ManualTimer();

	private List<ScriptedNode> nodes = nodes(0, 0, 0);

	private QuorumLockStore store = store();

	// Acquire

	@Test
	void aFreeKeyIsTakenAtAllNodes() {
		assertThat(acquire("a:1").join()).isEqualTo(new Acquired(1, 10, false));
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
		assertThat(this.timer.pending()).as("nothing is left to be done").isZero();
	}

	@Test
	void aMajorityIsEnoughWhenANodeIsDown() {
		this.nodes.get(1).down = true;
		assertThat(acquire("a:1")).isCompletedWithValueMatching(Acquired.class::isInstance);
	}

	@Test
	void aNodeThatHangsCostsNothingButItsVote() {
		this.nodes.get(1).hanging = true;
		assertThat(acquire("a:1")).as("no time has passed").isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(renew("a:1")).isCompletedWithValue(List.of(true));
		assertThat(release("a:1")).isCompletedWithValue(true);
	}

	@Test
	void tokensAreLargerThanAllBeforeWhateverNodesGrantedThem() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		this.nodes.get(2).down = true;
		Acquired first = acquired("a:1");
		assertThat(first.firstToken()).isEqualTo(501);
		release("a:1").join();
		this.nodes.get(2).down = false;
		this.nodes.get(0).down = true;
		assertThat(acquired("b:1").firstToken()).isGreaterThan(first.lastToken());
	}

	@Test
	void anAcquisitionWaitsUntilAMajorityIsAtTheLastToken() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		this.nodes.get(2).down = true;
		CompletableFuture<Boolean> raised = new CompletableFuture<>();
		this.nodes.get(1).raises = raised;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		assertThat(acquisition).isNotDone();
		raised.complete(true);
		assertThat(acquisition).isCompletedWithValue(new Acquired(501, 510, false));
	}

	@Test
	void nodesThatAgreeNeedNoSecondStep() {
		acquire("a:1").join();
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.log).containsExactly("acquire a:1"));
	}

	@Test
	void aRaiseThatFindsTheKeyGoneDoesNotCount() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		this.nodes.get(2).down = true;
		CompletableFuture<Boolean> raised = new CompletableFuture<>();
		this.nodes.get(1).raises = raised;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		raised.complete(false);
		assertFails(acquisition);
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void aKeyThatIsHeldByAMajorityIsBusyAndItsHolderIsNamed() {
		acquire("a:1").join();
		assertThat(acquire("b:1").join()).isEqualTo(new Busy("a:1", TTL));
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
	}

	@Test
	void aVoteOfAMinorityIsGivenBackAtOnce() {
		this.nodes.get(2).down = true;
		acquire("a:1").join();
		this.nodes.get(2).down = false;
		assertThat(acquire("b:1").join()).isEqualTo(new Busy("a:1", TTL));
		assertThat(holders()).containsExactly("a:1", "a:1", null);
	}

	@Test
	void unreachableNodesAreNotTakenForBusy() {
		this.nodes.get(1).down = true;
		this.nodes.get(2).down = true;
		assertFails(acquire("a:1"));
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void aMajorityThatHangsFailsInTimeAndIsToldToGiveTheKeyBack() {
		this.nodes.get(1).hanging = true;
		this.nodes.get(2).hanging = true;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(assertFails(acquisition).isOutcomeUnknown()).isTrue();
		assertThat(this.nodes.get(0).holder(KEY)).isNull();
		this.nodes.forEach(ScriptedNode::resume);
		assertThat(holders()).containsOnlyNulls();
		// Others may have been told that it has the key: it goes to whoever waits.
		assertThat(this.nodes).allSatisfy((node) -> assertThat(node.log).containsExactly("acquire a:1", "release a:1"));
	}

	@Test
	void nodesHaveNoMoreThanAFifthOfTheTtl() {
		this.nodes.get(1).hanging = true;
		this.nodes.get(2).hanging = true;
		CompletableFuture<AcquireReply> acquisition = this.store
			.acquire(new Acquire(KEY, "a", "a:1", Duration.ofSeconds(1), true, 10));
		this.timer.pass(Duration.ofMillis(200));
		assertFails(acquisition);
	}

	@Test
	void anErrorOfOneNodeDoesNotBreakAMajority() {
		this.nodes.get(0).down = true;
		Acquired acquired = acquired("a:1");
		this.nodes.get(0).down = false;
		assertThat(renew("a:1").join()).containsExactly(true);
		assertThat(acquired.lastToken()).isEqualTo(10);
	}

	@Test
	void anAcquisitionThatIsExecutedAfterItWasCancelledIsReleasedByTheReleaseThatFollows() {
		this.nodes.forEach((node) -> node.hanging = true);
		acquire("a:1").cancel(false);
		var unused = release("a:1");
		this.nodes.forEach(ScriptedNode::resume);
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void acquisitionOfWhatIsHeldIsWithdrawnInEachOfItsSteps() {
		for (String step : List.of("acquire a:1", "renew")) {
			this.nodes.forEach((node) -> node.hangsAfter = step);
			assertThat(acquire("a:1")).isDone();
			CompletableFuture<AcquireReply> prolonged = prolong("a:1");
			assertThat(prolonged.isDone()).isFalse();
			prolonged.cancel(false);
			assertThat(this.timer.pending()).as("no step is waited for any more").isZero();
			this.nodes.forEach(ScriptedNode::resume);
		}
	}

	@Test
	void aVoteThatANodeCastsAfterItsReleaseLastsForOneTtl() {
		this.nodes.get(1).hanging = true;
		acquire("a:1").join();
		assertThat(release("a:1").join()).isTrue();
		// The release was lost with the connection, or comes first.
		this.nodes.get(1).resumeOnly("acquire a:1");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(holders()).containsExactly(null, "a:1", null);
		assertThat(this.timer.pending()).as("nothing is left to be done").isZero();
		assertThat(acquire("b:1")).as("from the others").isCompletedWithValueMatching(Acquired.class::isInstance);
		this.timer.pass(TTL.minus(NODE_TIMEOUT));
		assertThat(this.nodes.get(1).holder(KEY)).isNull();
	}

	@Test
	void aNodeThatAnsweredThatTheKeyIsBusyHasNothingToGiveBack() {
		acquired("a:1");
		this.nodes.get(2).hanging = true;
		assertThat(acquire("b:1")).isCompletedWithValueMatching(Busy.class::isInstance);
		this.nodes.get(2).resume();
		assertThat(this.nodes.get(0).log).endsWith("acquire b:1");
		assertThat(this.nodes.get(2).log).endsWith("acquire b:1", "abandon b:1");
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
	}

	@Test
	void anOwnerIdThatWantsTheKeyAgainKeepsIt() {
		this.nodes.get(1).hanging = true;
		this.nodes.get(2).hanging = true;
		CompletableFuture<AcquireReply> failed = acquire("a:1");
		this.timer.pass(NODE_TIMEOUT);
		assertFails(failed);
		this.nodes.forEach(ScriptedNode::resume);
		acquired("a:1");
		this.timer.pass(Duration.ofSeconds(10));
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
	}

	@Test
	void aLostReplyLeavesNothingBehindWhenTheKeyIsReleased() {
		this.nodes.get(2).muted = true;
		acquire("a:1").join();
		this.nodes.get(2).muted = false;
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
		assertThat(release("a:1").join()).isTrue();
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void theSameOwnerIdMayAcquireOnceMoreWithLargerTokens() {
		Acquired first = acquired("a:1");
		assertThat(acquired("a:1").firstToken()).isGreaterThan(first.lastToken());
	}

	// Split votes

	@Test
	void ofThreeContendersWithOneVoteEachOneWins() {
		List<CompletableFuture<AcquireReply>> replies = collide("a:1", "b:1", "c:1");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(replies).allSatisfy((reply) -> assertThat(reply).isDone());
		assertThat(replies.stream().map(CompletableFuture::join).filter(Acquired.class::isInstance)).hasSize(1);
		assertThat(holders().stream().filter(holders().get(0)::equals)).hasSizeGreaterThanOrEqualTo(2);
	}

	@Test
	void whoLosesASplitVoteSaysWhoWins() {
		List<CompletableFuture<AcquireReply>> replies = collide("a:1", "b:1", "c:1");
		this.timer.pass(NODE_TIMEOUT);
		String winner = holders().get(0);
		assertThat(replies.stream().map(CompletableFuture::join).filter(Busy.class::isInstance)).hasSize(2)
			.allSatisfy((reply) -> assertThat(((Busy) reply).holder()).isEqualTo(winner));
	}

	@Test
	void aSplitVoteThatNobodyResolvesEndsAndLeavesNothing() {
		this.nodes.get(1).put(KEY, "zombie:1", TTL);
		this.nodes.get(2).down = true;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(acquisition.join()).isInstanceOf(Busy.class);
		assertThat(this.nodes.get(0).holder(KEY)).isNull();
	}

	/**
	 * Each contender gets to another node first.
	 */
	private List<CompletableFuture<AcquireReply>> collide(String... owners) {
		this.nodes.forEach((node) -> node.hanging = true);
		List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
		for (String owner : owners) {
			// a store of its own, as another instance has
			replies.add(store().acquire(command(owner)));
		}
		for (int node = 0; node < this.nodes.size(); node++) {
			this.nodes.get(node).rotate(node);
		}
		this.nodes.forEach(ScriptedNode::resume);
		return replies;
	}

	// Renew

	@Test
	void aRenewalNeedsAMajority() {
		acquire("a:1").join();
		this.nodes.get(0).forget(KEY);
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(false);
	}

	@Test
	void aRenewalThatAMajorityDoesNotAnswerIsUnknown() {
		acquire("a:1").join();
		this.nodes.get(0).hanging = true;
		this.nodes.get(1).hanging = true;
		CompletableFuture<List<@Nullable Boolean>> renewal = renew("a:1");
		assertThat(renewal).isNotDone();
		this.timer.pass(NODE_TIMEOUT);
		assertFails(renewal);
	}

	@Test
	void aKeyWhoseRenewalIsUnknownDoesNotMatterToOthers() {
		Renew first = new Renew(KEY, "a:1", TTL);
		Renew second = new Renew("other", "a:2", TTL);
		acquire("a:1").join();
		this.store.acquire(new Acquire("other", "a", "a:2", TTL, true, 10)).join();
		this.nodes.get(0).forget(KEY);
		this.nodes.get(1).hanging = true;
		CompletableFuture<List<@Nullable Boolean>> renewal = this.store.renew(List.of(first, second));
		this.timer.pass(NODE_TIMEOUT);
		assertThat(renewal).isCompletedWithValue(Arrays.asList(null, true));
		assertThat(this.nodes.get(0).holder(KEY)).as("repaired by a renewal that counts").isNull();
	}

	/**
	 * A renewal that was sent before may follow the extension there.
	 */
	@Test
	void aNodeWithAnotherConnectionLeavesADoubtAboutExtensions() {
		List<Duration> reordered = new ArrayList<>();
		AtomicInteger reconnected = new AtomicInteger();
		var unused = this.store.open(new ConnectionListener() {

			@Override
			public void reconnected() {
				reconnected.incrementAndGet();
			}

			@Override
			public void reordered(int partition, Duration ago) {
				assertThat(partition).isEqualTo(QuorumLockStoreTest.this.store.partition(KEY));
				reordered.add(ago);
			}

		});
		for (ScriptedNode node : this.nodes) {
			node.reconnect();
			assertThat(reordered).hasSize(reconnected.get()).containsOnly(ScriptedNode.RECONNECTING);
		}
		assertThat(reconnected).hasValue(3);
	}

	@Test
	void aNodeThatLostTheKeyTakesItAgain() {
		acquire("a:1").join();
		this.nodes.get(0).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(true);
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
	}

	@Test
	void aNodeThatNeverGrantedTheKeyTakesItLater() {
		this.nodes.get(0).down = true;
		acquire("a:1").join();
		this.nodes.get(0).down = false;
		renew("a:1").join();
		assertThat(holders()).containsExactly("a:1", "a:1", "a:1");
	}

	@Test
	void aRepairedNodeDoesNotCountInTheRenewalThatFoundTheKeyMissing() {
		this.nodes.get(0).down = true;
		acquire("a:1").join();
		this.nodes.get(0).down = false;
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(false);
	}

	/**
	 * Somebody else may have had the key from the second and the third node before the
	 * first one was repaired.
	 */
	@Test
	void aRepairedNodeDoesNotCountInTheNextRenewalEither() {
		this.nodes.get(0).down = true;
		acquire("a:1").join();
		this.nodes.get(0).down = false;
		assertThat(renew("a:1").join()).containsExactly(true);
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(false);
	}

	@Test
	void aNodeThatIsRepairedWhileARenewalIsOnItsWayDoesNotCountInTheNextOne() {
		this.nodes.get(0).down = true;
		acquire("a:1").join();
		this.nodes.get(0).down = false;
		this.nodes.get(0).hanging = true;
		assertThat(renew("a:1").join()).containsExactly(true);
		this.nodes.get(1).hanging = true;
		CompletableFuture<List<@Nullable Boolean>> renewal = renew("a:1");
		this.nodes.get(0).resume();
		this.nodes.get(1).resume();
		assertThat(renewal.join()).containsExactly(true);
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(false);
	}

	@Test
	void aRepairedNodeCountsInTheRenewalAfterTheNext() {
		this.nodes.get(0).down = true;
		acquire("a:1").join();
		this.nodes.get(0).down = false;
		assertThat(renew("a:1").join()).containsExactly(true);
		assertThat(renew("a:1").join()).containsExactly(true);
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(true);
	}

	@Test
	void aVoteThatComesLateCountsFromTheNextRenewalOnIfALargerTokenWasDrawnThere() {
		this.nodes = nodes(0, 0, 500);
		this.store = store();
		this.nodes.get(2).hanging = true;
		acquire("a:1").join();
		this.nodes.get(2).resume();
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(false);
	}

	@Test
	void aVoteThatComesLateIsAsGoodAsAnyIfNoLargerTokenWasDrawnThere() {
		this.nodes.get(2).hanging = true;
		acquire("a:1").join();
		this.nodes.get(2).resume();
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(true);
	}

	@Test
	void aVoteThatARenewalOvertookCounts() {
		this.nodes.get(2).hanging = true;
		acquire("a:1").join();
		this.nodes.get(1).hanging = true;
		CompletableFuture<List<@Nullable Boolean>> renewal = renew("a:1");
		this.nodes.get(2).resume();
		assertThat(renewal.join()).containsExactly(true);
		this.nodes.get(1).resume();
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(true);
	}

	@Test
	void aVoteThatComesBeforeTheLeaseBeginsIsNoRaiseIfAnotherTokenWasDrawnThere() {
		this.nodes = nodes(5, 0, 7);
		this.store = store();
		this.nodes.get(2).hanging = true;
		CompletableFuture<Boolean> raised = new CompletableFuture<>();
		this.nodes.get(1).raises = raised;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		this.nodes.get(2).resume();
		assertThat(acquisition).isNotDone();
		raised.complete(true);
		assertThat(acquisition).isCompletedWithValue(new Acquired(6, 15, false));
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).as("the vote counts").containsExactly(true);
	}

	@Test
	void aVoteThatComesBeforeTheLeaseBeginsIsNoBetterIfALargerTokenWasDrawnThere() {
		this.nodes = nodes(5, 0, 500);
		this.store = store();
		this.nodes.get(2).hanging = true;
		CompletableFuture<Boolean> raised = new CompletableFuture<>();
		this.nodes.get(1).raises = raised;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		this.nodes.get(2).resume();
		assertThat(acquisition).as("it is no raise").isNotDone();
		raised.complete(true);
		assertThat(acquisition).isCompletedWithValue(new Acquired(6, 15, false));
		this.nodes.get(1).forget(KEY);
		assertThat(renew("a:1").join()).containsExactly(false);
	}

	@Test
	void aKeyThatExpiresBeforeItWasAcquiredIsBusy() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		CompletableFuture<Boolean> raised = new CompletableFuture<>();
		this.nodes.get(1).raises = raised;
		this.nodes.get(2).raises = raised;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		raised.complete(false);
		assertThat(acquisition.join()).isInstanceOf(Busy.class);
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void whatIsLostIsNotTakenAgain() {
		acquire("a:1").join();
		this.nodes.forEach((node) -> node.forget(KEY));
		assertThat(renew("a:1").join()).containsExactly(false);
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void whatWasReleasedIsNotTakenAgainByALateAnswerToARenewal() {
		acquire("a:1").join();
		this.nodes.get(2).forget(KEY);
		this.nodes.get(2).hanging = true;
		renew("a:1").join();
		release("a:1").join();
		this.nodes.get(2).resume();
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void eachOfSeveralRenewalsHasItsOwnOutcome() {
		acquire("a:1").join();
		List<Renew> commands = List.of(new Renew("other", "a:9", TTL), new Renew(KEY, "a:1", TTL));
		assertThat(this.store.renew(commands).join()).containsExactly(false, true);
	}

	/**
	 * The lease is nearly over, and the next local waiter asks for the key by the same
	 * owner id, when a node that was to be repaired goes on.
	 */
	@Test
	void aVoteIsNotTakenBackByTheLateAnswerToARepair() {
		repairAtANodeThatHangs();
		this.timer.pass(Duration.ofMillis(900));
		this.nodes.get(1).down = true;
		CompletableFuture<AcquireReply> again = acquire("a:1", SHORT_TTL);
		assertThat(again).isNotDone();
		this.timer.pass(Duration.ofMillis(150));
		this.nodes.get(2).resume();
		assertThat(again).isCompletedWithValueMatching(Acquired.class::isInstance);
		this.nodes.get(1).down = false;
		assertThat(holders()).containsExactly("a:1", null, "a:1");
		assertThat(store().acquire(command("b:1")).join()).as("to another instance").isInstanceOf(Busy.class);
	}

	@Test
	void aRepairThatIsLateForItsLeaseLastsForOneTtl() {
		repairAtANodeThatHangs();
		this.timer.pass(SHORT_TTL.plusMillis(1));
		this.nodes.get(2).resume();
		assertThat(holders()).containsExactly(null, null, "a:1");
		assertThat(acquire("b:1")).as("from the others").isCompletedWithValueMatching(Acquired.class::isInstance);
		this.timer.pass(SHORT_TTL);
		assertThat(this.nodes.get(2).holder(KEY)).isNull();
	}

	@Test
	void aRepairDoesNotComeBehindTheRelease() {
		this.nodes.get(2).down = true;
		acquire("a:1").join();
		this.nodes.get(2).down = false;
		// The renewal is on its way, and heard when the key was released.
		this.nodes.get(2).hanging = true;
		assertThat(renew("a:1").join()).containsExactly(true);
		var unused = release("a:1");
		this.nodes.get(2).resume();
		assertThat(holders()).containsOnlyNulls();
		assertThat(this.nodes.get(2).log).doesNotContain("acquire a:1");
	}

	/**
	 * An acquisition that fails gives back what comes late by the commands that it sent
	 * behind: the same owner id may have asked again by then.
	 */
	@Test
	void aVoteIsNotTakenBackForTheAcquisitionBeforeIt() {
		this.nodes.get(0).down = true;
		this.nodes.get(1).down = true;
		this.nodes.get(2).hanging = true;
		assertFails(acquire("a:1"));
		this.nodes.get(0).down = false;
		CompletableFuture<AcquireReply> again = acquire("a:1");
		this.nodes.get(2).resume();
		assertThat(again).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(this.nodes.get(2).log).containsExactly("acquire a:1", "abandon a:1", "acquire a:1");
		assertThat(this.nodes.get(2).holder(KEY)).isEqualTo("a:1");
	}

	@Test
	void aKeyIsKeptAtAllNodesWhateverComesLate() {
		acquire("a:1").join();
		this.nodes.get(2).hanging = true;
		var unused = renew("a:1");
		assertThat(keep("a:1", Duration.ofMinutes(10))).isCompletedWithValue(true);
		assertThat(this.nodes.get(2).holder(KEY)).isEqualTo("a:1");
		this.nodes.get(2).resume();
		assertThat(holders()).containsOnly("a:1~");
		assertThat(renew("a:1").join()).containsExactly(false);
		assertThat(acquire("a:1").join()).isInstanceOf(Busy.class);
		this.timer.pass(Duration.ofMinutes(9));
		assertThat(holders()).containsOnly("a:1~");
		this.nodes.get(0).down = true;
		assertThat(keep("a:1", Duration.ofMinutes(10))).isCompletedWithValue(true);
		this.nodes.get(1).forget(KEY);
		assertThat(keep("a:1", Duration.ofMinutes(10))).isCompletedExceptionally();
	}

	private CompletableFuture<Boolean> keep(String owner, Duration time) {
		return this.store.keep(new Renew(KEY, owner, time));
	}

	// The third node does not have the key, and is to take it.
	private void repairAtANodeThatHangs() {
		this.nodes.get(2).down = true;
		assertThat(acquire("a:1", SHORT_TTL)).isCompletedWithValueMatching(Acquired.class::isInstance);
		this.nodes.get(2).down = false;
		this.nodes.get(2).hangsAfter = "renew";
		assertThat(this.store.renew(List.of(new Renew(KEY, "a:1", SHORT_TTL)))).isCompletedWithValue(List.of(true));
		assertThat(this.nodes.get(2).hanging).isTrue();
	}

	// A moment without threads

	@Test
	void noCommandIsStuckAfterAMomentWithoutThreads() {
		this.nodes.get(1).hanging = true;
		this.timer.refusal = new InternalError("no thread");
		assertThat(acquire("a:1")).isCompletedExceptionally();
		assertThat(renew("a:1")).isCompletedExceptionally();
		assertThat(release("a:1")).isCompletedExceptionally();
		assertThat(this.store.forceRelease(KEY, "a:1")).isCompletedExceptionally();
		this.timer.refusal = null;
		assertThat(acquire("a:2")).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(renew("a:2")).isCompletedWithValue(List.of(true));
		assertThat(release("a:2")).isCompletedWithValue(true);
	}

	@Test
	void aNodeWithLessTimeHasAsMuchAsOthersIfThereIsNoThreadToLimitIt() {
		this.store = store(this.nodes, Duration.ofMillis(50), NODE_TIMEOUT, NODE_TIMEOUT);
		this.nodes.get(0).hanging = true;
		this.nodes.get(1).hanging = true;
		this.timer.allowed = 1;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		assertThat(this.nodes.get(2).holder(KEY)).isEqualTo("a:1");
		this.timer.pass(NODE_TIMEOUT);
		assertFails(acquisition);
		assertThat(this.nodes.get(2).holder(KEY)).isNull();
	}

	// Release

	@Test
	void aReleaseReachesNodesThatHungMeanwhile() {
		acquire("a:1").join();
		this.nodes.get(2).hanging = true;
		assertThat(release("a:1")).isCompletedWithValue(true);
		this.nodes.get(2).resume();
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void aReleaseOfAKeyThatAMinorityNeverHadIsNoFailure() {
		this.nodes.get(2).down = true;
		acquire("a:1").join();
		this.nodes.get(2).down = false;
		assertThat(release("a:1").join()).isTrue();
	}

	@Test
	void commandsOfAKeyFollowAnAcquisitionThatTakesTwoSteps() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		this.nodes.get(2).down = true;
		CompletableFuture<Boolean> raised = new CompletableFuture<>();
		this.nodes.get(1).raises = raised;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		CompletableFuture<Boolean> release = release("a:1");
		assertThat(holders()).startsWith("a:1", "a:1");
		raised.complete(true);
		assertThat(acquisition).isCompletedWithValueMatching(Acquired.class::isInstance);
		assertThat(release).isCompletedWithValue(true);
	}

	// Signals

	@Test
	void signalsOfEachNodeAreToldAsTheyCome() {
		List<String> told = new ArrayList<>();
		this.store.listen("a", recorder(told));
		this.nodes.get(1).signals().reserved(KEY);
		this.nodes.get(2).signals().contended(KEY);
		this.nodes.get(0).signals().reserved(KEY);
		this.nodes.get(0).signals().forced(KEY, "a:1");
		assertThat(told).containsExactly("reserved k", "contended k", "reserved k", "forced k a:1");
	}

	@Test
	void aMinorityThatReleasesByForceEndsNoLease() {
		acquire("a:1").join();
		List<String> told = new ArrayList<>();
		this.store.listen("a", recorder(told));
		this.nodes.get(0).forget(KEY);
		this.nodes.get(0).signals().forced(KEY, "a:1");
		this.nodes.get(0).signals().forced(KEY, "a:1");
		assertThat(renew("a:1")).isCompletedWithValue(List.of(true));
		assertThat(holders()).as("repaired").containsExactly("a:1", "a:1", "a:1");
		assertThat(renew("a:1")).isCompletedWithValue(List.of(true));
		this.nodes.get(1).signals().forced(KEY, "a:1");
		assertThat(told).isEmpty();
		this.nodes.get(2).signals().forced(KEY, "a:1");
		assertThat(told).containsExactly("forced k a:1");
	}

	/**
	 * As soon as one command may fail for it.
	 */
	@Test
	void whatWasReleasedByForceIsToldBeforeARenewalFails() {
		List<String> told = new ArrayList<>();
		var unused = this.store.open(new ConnectionListener() {

			@Override
			public void reconnected() {
			}

			@Override
			public void reordered(int partition, Duration ago) {
			}

			@Override
			public void forced(String key, String ownerId) {
				told.add("forced " + key + " " + ownerId);
			}

		});
		acquire("a:1").join();
		this.nodes.forEach((node) -> node.force(KEY));
		this.nodes.forEach((node) -> node.hanging = true);
		CompletableFuture<Void> renewal = renew("a:1").thenAccept((held) -> told.add("renewed " + held));
		this.nodes.get(0).resume();
		assertThat(told).isEmpty();
		this.nodes.get(1).resume();
		assertThat(renewal).isCompleted();
		assertThat(told).containsExactly("forced k a:1", "renewed [false]");
	}

	@Test
	void signalsAreReceivedAsLongAsAMajorityGivesThem() {
		List<String> told = new ArrayList<>();
		this.store.listen("a", recorder(told));
		this.nodes.get(0).signals().listening(true);
		assertThat(told).isEmpty();
		this.nodes.get(1).signals().listening(true);
		this.nodes.get(2).signals().listening(true);
		this.nodes.get(0).signals().listening(false);
		this.nodes.get(1).signals().listening(false);
		assertThat(told).containsExactly("listening true", "listening false");
	}

	@Test
	void whatIsToldOfListeningLastIsSo() {
		List<String> told = new ArrayList<>();
		Signals slow = new Signals() {

			@Override
			public void reserved(String key) {
			}

			@Override
			public void contended(String key) {
			}

			@Override
			public void listening(boolean active) {
				if (active) {
					QuorumLockStoreTest.this.nodes.get(1).signals().listening(false);
				}
				told.add("listening " + active);
			}

		};
		this.store.listen("a", slow);
		this.nodes.get(0).signals().listening(true);
		this.nodes.get(1).signals().listening(true);
		assertThat(told).containsExactly("listening true", "listening false");
	}

	@Test
	void nodesThatFailAfterTheirVotesAreNotTakenForBusy() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		this.nodes.get(1).raises = CompletableFuture
			.failedFuture(new LockStoreException("no connection", true, true, null));
		this.nodes.get(2).raises = this.nodes.get(1).raises;
		assertFails(acquire("a:1"));
	}

	// Set-up

	@Test
	void fewerThanThreeNodesAreRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> store(nodes(0, 0), NODE_TIMEOUT, NODE_TIMEOUT))
			.withMessage("nodes must be 3 to 15 servers, but are 2");
	}

	@Test
	void nothingIsAcquiredAsLongAsTwoNodesAreTheSameServer() {
		this.nodes.get(0).connect("A");
		this.nodes.get(1).connect("B");
		assertThatIllegalStateException().isThrownBy(() -> this.nodes.get(2).connect("A"))
			.withMessageContaining("node 1 and node 3 of the quorum are the same server");
		LockStoreException failure = assertFails(acquire("a:1"));
		assertThat(failure).hasMessageContaining("node 1 and node 3").hasMessageContaining("a server of its own");
		assertThat(failure.isTransient()).isFalse();
		assertThat(this.nodes.get(0).log).as("commands that were sent").isEmpty();
		this.nodes.get(2).connect("C");
		assertThat(acquire("a:1")).isCompletedWithValueMatching(Acquired.class::isInstance);
	}

	@Test
	void aServerThatIsStartedAnewIsNoOtherNode() {
		this.nodes.get(0).connect("A");
		this.nodes.get(0).connect("A");
		this.nodes.get(0).connect("B");
		this.nodes.get(1).connect("A");
		assertThat(acquire("a:1")).isCompletedWithValueMatching(Acquired.class::isInstance);
	}

	@Test
	void aTtlForWhichNoNodeAbstainsIsRefused() {
		assertThat(this.store.maxTtl()).isEqualTo(MAX_TTL);
		assertThat(this.store.acquire(new Acquire(KEY, "a", "a:1", MAX_TTL.plusMillis(1), true, 10)))
			.failsWithin(Duration.ZERO)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalArgumentException.class);
		assertThat(this.nodes.get(0).log).isEmpty();
	}

	@Test
	void aNodeAbstainsForLongerThanAnyTtlLasts() {
		assertThat(QuorumLockStore.abstention(Duration.ofMinutes(1))).isEqualTo(Duration.ofSeconds(67));
	}

	@Test
	void aNodeThatHasLessTimeIsLeftOutSooner() {
		this.store = store(this.nodes, Duration.ofMillis(50), NODE_TIMEOUT, NODE_TIMEOUT);
		this.nodes.get(0).hanging = true;
		this.nodes.get(1).down = true;
		CompletableFuture<AcquireReply> acquisition = acquire("a:1");
		assertThat(acquisition).isNotDone();
		this.timer.pass(Duration.ofMillis(50));
		assertFails(acquisition);
	}

	private static Signals recorder(List<String> told) {
		return new Signals() {

			@Override
			public void reserved(String key) {
				told.add("reserved " + key);
			}

			@Override
			public void contended(String key) {
				told.add("contended " + key);
			}

			@Override
			public void forced(String key, String ownerId) {
				told.add("forced " + key + " " + ownerId);
			}

			@Override
			public void listening(boolean active) {
				told.add("listening " + active);
			}

		};
	}

	private List<ScriptedNode> nodes(long... fences) {
		return LongStream.of(fences).mapToObj((fence) -> new ScriptedNode(this.timer, fence)).toList();
	}

	private QuorumLockStore store() {
		return store(this.nodes, NODE_TIMEOUT, NODE_TIMEOUT, NODE_TIMEOUT);
	}

	private QuorumLockStore store(List<ScriptedNode> nodes, Duration... timeouts) {
		List<QuorumNode> voters = IntStream.range(0, nodes.size())
			.mapToObj((i) -> new QuorumNode(nodes.get(i), timeouts[i]))
			.toList();
		return new QuorumLockStore(voters, MAX_TTL, Duration.ofMillis(100), this.timer);
	}

	private List<String> holders() {
		List<String> holders = new ArrayList<>();
		this.nodes.forEach((node) -> holders.add(node.holder(KEY)));
		return holders;
	}

	private static Acquire command(String owner) {
		return new Acquire(KEY, owner.substring(0, 1), owner, TTL, true, 10);
	}

	private CompletableFuture<AcquireReply> acquire(String owner) {
		return this.store.acquire(command(owner));
	}

	private CompletableFuture<AcquireReply> prolong(String owner) {
		return this.store.acquire(new Acquire(KEY, owner.substring(0, 1), owner, TTL, Queueing.NONE, 10, false,
				LockMode.EXCLUSIVE, true));
	}

	private CompletableFuture<AcquireReply> acquire(String owner, Duration ttl) {
		return this.store.acquire(new Acquire(KEY, owner.substring(0, 1), owner, ttl, true, 10));
	}

	private Acquired acquired(String owner) {
		return (Acquired) acquire(owner).join();
	}

	private CompletableFuture<List<@Nullable Boolean>> renew(String owner) {
		return this.store.renew(List.of(new Renew(KEY, owner, TTL)));
	}

	private CompletableFuture<Boolean> release(String owner) {
		return this.store.release(new Release(KEY, owner.substring(0, 1), owner, false));
	}

	private static LockStoreException assertFails(CompletableFuture<?> command) {
		assertThat(command).isCompletedExceptionally();
		LockStoreException[] failure = new LockStoreException[1];
		assertThatExceptionOfType(CompletionException.class).isThrownBy(command::join)
			.satisfies((thrown) -> failure[0] = (LockStoreException) thrown.getCause());
		return failure[0];
	}

}
