// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockMode;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Keys that several share at nodes of a quorum: readers, whose owner ids begin with "r",
 * and writers, whose owner ids begin with "w".
 */
class SharedVotesTest {

	private static final String KEY = "k";

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

	private final ManualTimer timer = new ManualTimer();

	private List<ScriptedNode> nodes = nodes(0, 0, 0);

	private QuorumLockStore store = store();

	// Votes

	@Test
	void readersShareAllNodesAndLaterOnesDrawLargerTokens() {
		Acquired first = acquired("r:1");
		assertThat(acquired("r:2").firstToken()).isGreaterThan(first.lastToken());
		assertThat(readers()).containsOnly(List.of("r:1", "r:2"));
		assertThat(acquire("w:1").join()).isEqualTo(new Busy("r:1", TTL));
		assertThat(readers()).containsOnly(List.of("r:1", "r:2"));
	}

	@Test
	void aMajorityOfReadersMeetsEachMajorityOfWriters() {
		this.nodes.get(0).down = true;
		acquired("r:1");
		this.nodes.get(0).down = false;
		assertThat(acquire("w:1").join()).isInstanceOf(Busy.class);
		assertThat(this.nodes.get(0).holder(KEY)).as("given back").isNull();
		release("r:1").join();
		acquired("w:1");
		assertThat(acquire("r:2").join()).isEqualTo(new Busy("w:1", TTL));
	}

	@Test
	void tokensOfReadersFollowThoseOfAWriterWhateverNodesGrantedThem() {
		this.nodes = nodes(500, 0, 0);
		this.store = store();
		this.nodes.get(2).down = true;
		Acquired writer = acquired("w:1");
		release("w:1").join();
		this.nodes.get(2).down = false;
		this.nodes.get(0).down = true;
		Acquired reader = acquired("r:1");
		assertThat(reader.firstToken()).isGreaterThan(writer.lastToken()).isEqualTo(reader.lastToken());
		release("r:1").join();
		this.nodes.get(0).down = false;
		this.nodes.get(1).down = true;
		assertThat(acquired("w:2").firstToken()).isGreaterThan(reader.lastToken());
	}

	@Test
	void aVoteOfAReaderThatIsGivenBackTakesNothingFromOthers() {
		this.nodes.get(0).down = true;
		acquired("w:1");
		this.nodes.get(0).down = false;
		this.nodes.get(0).share("r:1", KEY, TTL);
		assertThat(acquire("r:2").join()).isEqualTo(new Busy("w:1", TTL));
		assertThat(readers().get(0)).containsExactly("r:1");
	}

	// Split votes

	@Test
	void readersThatOverlapAWriterHaveAMajorityTogether() {
		List<CompletableFuture<AcquireReply>> replies = collide("w:1", "r:1", "r:2");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(replies.get(0).join()).isInstanceOf(Busy.class);
		assertThat(replies.subList(1, 3)).extracting(CompletableFuture::join).hasOnlyElementsOfType(Acquired.class);
		assertThat(holders()).containsOnlyNulls();
	}

	@Test
	void aSplitVoteOfTwoWritersAndReadersEnds() {
		this.nodes = nodes(0, 0, 0, 0, 0);
		for (List<String> order : List.of(List.of("w:1", "w:2", "r:1"), List.of("w:1", "r:1", "w:2", "r:2"),
				List.of("w:1", "w:2", "r:1", "w:3", "r:2"))) {
			this.store = store();
			List<CompletableFuture<AcquireReply>> replies = collide(order.toArray(String[]::new));
			this.timer.pass(NODE_TIMEOUT);
			List<String> acquired = new ArrayList<>();
			for (int i = 0; i < order.size(); i++) {
				assertThat(replies.get(i)).as("%s of %s", order.get(i), order).isDone();
				if (replies.get(i).join() instanceof Acquired) {
					acquired.add(order.get(i));
				}
			}
			assertThat(acquired).isNotEmpty();
			assertThat(acquired.size() == 1 || acquired.stream().allMatch((owner) -> owner.startsWith("r"))).isTrue();
			assertThat(owners()).as("votes that are left").hasSameElementsAs(acquired);
			this.nodes.forEach((node) -> node.forget(KEY));
		}
	}

	/**
	 * A writer waits in the queue of each node, so that each reader has the one node at
	 * which it came first.
	 */
	@Test
	void readersThatCameInBeforeAWriterWaitedDoNotBlockEachOther() {
		this.nodes.get(2).down = true;
		this.nodes.forEach((node) -> node.closed = true);
		List<CompletableFuture<AcquireReply>> replies = collide("r:1", "r:2");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(replies).extracting(CompletableFuture::join)
			.hasAtLeastOneElementOfType(Acquired.class)
			.hasAtLeastOneElementOfType(Busy.class);
		assertThat(owners()).hasSize(1);
	}

	/**
	 * Two nodes name the same reader, although each has another one last.
	 */
	@Test
	void whoStandsBehindReadersIsToldForHowLongAndByWhom() {
		this.nodes.get(0).share("r:2", KEY, TTL);
		this.nodes.get(0).share("r:1", KEY, TTL.multipliedBy(2));
		this.nodes.get(1).share("r:1", KEY, TTL);
		this.nodes.get(1).share("r:2", KEY, TTL.multipliedBy(2));
		this.nodes.forEach((node) -> node.closed = true);
		assertThat(acquire("r:3").join()).isEqualTo(new Busy("r:1", TTL.multipliedBy(2)));
		assertThat(readers().get(2)).as("given back").isEmpty();
	}

	// Renewal and repair

	@Test
	void aReaderIsRenewedByAMajorityOfNodesThatHadItAllTheTime() {
		acquired("r:1");
		acquired("r:2");
		assertThat(renew("r:1").join()).containsExactly(true);
		this.nodes.get(0).forget(KEY);
		this.nodes.get(1).forget(KEY);
		assertThat(renew("r:1").join()).containsExactly(false);
		assertThat(this.nodes.get(2).readers(KEY)).contains("r:2");
	}

	@Test
	void aNodeThatLostAReaderTakesItAgainAsAReader() {
		acquired("r:1");
		acquired("r:2");
		this.nodes.get(0).forget(KEY);
		assertThat(renew("r:1").join()).containsExactly(true);
		assertThat(readers().get(0)).containsExactly("r:1");
		assertThat(renew("r:2").join()).containsExactly(true);
		assertThat(readers().get(0)).containsExactly("r:1", "r:2");
		assertThat(holders()).containsOnlyNulls();
	}

	/**
	 * A writer had the second and the third node meanwhile, and gave them back.
	 */
	@Test
	void aNodeThatAReaderTookAgainDoesNotCountAtOnce() {
		this.nodes.get(0).down = true;
		acquired("r:1");
		this.nodes.get(0).down = false;
		assertThat(renew("r:1").join()).containsExactly(true);
		assertThat(readers().get(0)).containsExactly("r:1");
		this.nodes.get(1).forget(KEY);
		assertThat(renew("r:1").join()).containsExactly(false);
	}

	@Test
	void aReaderDoesNotTakeANodeAgainThatAWriterHas() {
		acquired("r:1");
		this.nodes.get(0).forget(KEY);
		this.nodes.get(0).put(KEY, "w:1", TTL);
		assertThat(renew("r:1").join()).containsExactly(true);
		assertThat(holders().get(0)).isEqualTo("w:1");
		assertThat(readers().get(0)).isEmpty();
	}

	// Sharing what was held alone

	@Test
	void aWriterGoesOnSharingAKey() {
		Acquired writer = acquired("w:1");
		assertThat(share("w:1").join()).isTrue();
		assertThat(share("w:1").join()).as("twice").isTrue();
		assertThat(readers()).containsOnly(List.of("w:1"));
		assertThat(acquired("r:1").firstToken()).isGreaterThan(writer.lastToken());
		assertThat(renew("w:1").join()).containsExactly(true);
		assertThat(release("w:1").join()).isTrue();
	}

	@Test
	void aKeyIsSharedIfAMajoritySaysSo() {
		acquired("w:1");
		this.nodes.get(0).hanging = true;
		assertThat(share("w:1")).isCompletedWithValue(true);
		assertThat(acquire("r:1")).isCompletedWithValueMatching(Acquired.class::isInstance);
	}

	@Test
	void whoHasAKeyNowhereSharesItNowhere() {
		acquired("w:1");
		this.nodes.get(0).forget(KEY);
		this.nodes.get(1).forget(KEY);
		assertThat(share("w:1").join()).isFalse();
	}

	@Test
	void whetherAKeyIsSharedIsUnknownIfNoMajorityAnswers() {
		acquired("w:1");
		this.nodes.get(0).hanging = true;
		this.nodes.get(1).hanging = true;
		CompletableFuture<Boolean> share = share("w:1");
		this.timer.pass(NODE_TIMEOUT);
		assertThat(share).isCompletedExceptionally();
	}

	@Test
	void aNodeThatLostAKeyTakesItAgainAsItIsHeldNow() {
		acquired("w:1");
		share("w:1").join();
		this.nodes.get(0).forget(KEY);
		assertThat(renew("w:1").join()).containsExactly(true);
		assertThat(readers()).containsOnly(List.of("w:1"));
		assertThat(acquire("r:1").join()).isInstanceOf(Acquired.class);
	}

	@Test
	void aRepairThatWasFollowedByAShareTakesTheKeyToShareIt() {
		this.nodes.get(2).down = true;
		acquired("w:1");
		this.nodes.get(2).down = false;
		this.nodes.get(2).hanging = true;
		CompletableFuture<List<@Nullable Boolean>> renewal = renew("w:1");
		var unused = share("w:1");
		this.nodes.get(2).resume();
		assertThat(renewal.join()).containsExactly(true);
		assertThat(readers()).containsOnly(List.of("w:1"));
	}

	@Test
	void aNodeThatDidNotHearThatAKeyIsSharedIsToldAgainWithTheNextRenewal() {
		acquired("w:1");
		this.nodes.get(2).down = true;
		share("w:1").join();
		this.nodes.get(2).down = false;
		assertThat(holders().get(2)).isEqualTo("w:1");
		renew("w:1").join();
		assertThat(readers()).containsOnly(List.of("w:1"));
		assertThat(this.nodes.get(0).log).filteredOn("share w:1"::equals).hasSize(1);
		renew("w:1").join();
		assertThat(this.nodes.get(2).log).filteredOn("share w:1"::equals).hasSize(1);
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
			if (!this.nodes.get(node).down) {
				this.nodes.get(node).rotate(node % owners.length);
			}
		}
		this.nodes.forEach(ScriptedNode::resume);
		return replies;
	}

	private List<List<String>> readers() {
		return this.nodes.stream().map((node) -> node.readers(KEY)).toList();
	}

	private List<@Nullable String> holders() {
		return Arrays.asList(this.nodes.stream().map((node) -> node.holder(KEY)).toArray(String[]::new));
	}

	private List<String> owners() {
		return this.nodes.stream()
			.flatMap((node) -> Stream.concat(node.readers(KEY).stream(), Stream.ofNullable(node.holder(KEY))))
			.distinct()
			.toList();
	}

	private List<ScriptedNode> nodes(long... fences) {
		return LongStream.of(fences).mapToObj((fence) -> new ScriptedNode(this.timer, fence)).toList();
	}

	private QuorumLockStore store() {
		return new QuorumLockStore(this.nodes.stream().map((node) -> new QuorumNode(node, NODE_TIMEOUT)).toList(),
				Duration.ofMinutes(2), Duration.ofMillis(100), this.timer);
	}

	private static Acquire command(String owner) {
		boolean shared = owner.startsWith("r");
		return new Acquire(KEY, owner.substring(0, 1), owner, TTL, true, shared ? 1 : 10, true,
				shared ? LockMode.SHARED : LockMode.EXCLUSIVE);
	}

	private CompletableFuture<AcquireReply> acquire(String owner) {
		return this.store.acquire(command(owner));
	}

	private Acquired acquired(String owner) {
		return (Acquired) acquire(owner).join();
	}

	private CompletableFuture<List<@Nullable Boolean>> renew(String owner) {
		return this.store.renew(List.of(new Renew(KEY, owner, TTL)));
	}

	private CompletableFuture<Boolean> share(String owner) {
		return this.store.share(new Renew(KEY, owner, TTL));
	}

	private CompletableFuture<Boolean> release(String owner) {
		return this.store.release(new Release(KEY, owner.substring(0, 1), owner, false));
	}

}
