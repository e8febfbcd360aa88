// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.ConnectionListener;
import io.lockstarter.store.LockStore.Renew;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Connections to nodes of a quorum are replaced: whether older commands may undo later
 * ones.
 */
class ReorderingTest {

	private static final Duration TTL = Duration.ofMinutes(5);

	private static final Duration LONGER = Duration.ofMinutes(6);

	private static final Acquire ACQUIRE = new Acquire("k", "a", "a:1", TTL, false, 10);

	private final ManualTimer timer = new ManualTimer();

	private final List<ScriptedNode> nodes = Stream.generate(() -> new ScriptedNode(this.timer, 0)).limit(5).toList();

	private final QuorumLockStore store = new QuorumLockStore(
			this.nodes.stream().map((node) -> new QuorumNode(node, Duration.ofMillis(500))).toList(),
			Duration.ofMinutes(10), Duration.ofMillis(500), this.timer);

	private final List<Duration> reordered = new ArrayList<>();

	private final AtomicInteger reconnected = new AtomicInteger();

	@BeforeEach
	void acquire() {
		var unused = this.store.open(new ConnectionListener() {

			@Override
			public void reconnected() {
				ReorderingTest.this.reconnected.incrementAndGet();
			}

			@Override
			public void reordered(int partition, Duration ago) {
				ReorderingTest.this.reordered.add(ago);
			}

		});
		this.store.acquire(ACQUIRE).join();
	}

	@Test
	void oneNodeOfManyDoesNotMatter() {
		this.nodes.get(0).reconnect();
		extend();
		assertThat(this.reconnected).hasValue(1);
		assertThat(this.reordered).isEmpty();
	}

	@Test
	void majorityMatters() {
		this.nodes.subList(0, 3).forEach(ScriptedNode::reconnect);
		extend();
		assertThat(this.reordered).containsExactly(Duration.ZERO);
	}

	/**
	 * Owner ids that are newer than all but a minority of the connections are in no
	 * doubt.
	 */
	@Test
	void itIsToldHowLongAgoTheLastOneWasReplacedThatAMajorityNeeds() {
		this.nodes.get(0).reconnect();
		this.timer.pass(Duration.ofSeconds(10));
		this.nodes.subList(1, 3).forEach(ScriptedNode::reconnect);
		this.timer.pass(Duration.ofSeconds(10));
		this.nodes.subList(3, 5).forEach(ScriptedNode::reconnect);
		this.timer.pass(Duration.ofSeconds(10));
		extend();
		assertThat(this.reordered).containsExactly(Duration.ofSeconds(20));
	}

	@Test
	void nodeMattersIfAnExtensionCountsOnlyWithIt() {
		this.nodes.get(0).reconnect();
		this.nodes.get(3).down = true;
		this.nodes.get(4).down = true;
		extend();
		assertThat(this.reordered).containsExactly(Duration.ZERO);
	}

	@Test
	void nodeMattersForAMinuteOnly() {
		this.nodes.subList(0, 3).forEach(ScriptedNode::reconnect);
		this.timer.pass(Duration.ofMinutes(1));
		extend();
		assertThat(this.reordered).isEmpty();
	}

	/**
	 * An older renewal asked for as much, so that it undoes nothing.
	 */
	@Test
	void ordinaryRenewalWaitsForNobodyAndIsInNoDoubt() {
		this.nodes.subList(0, 3).forEach(ScriptedNode::reconnect);
		this.nodes.get(4).hanging = true;
		assertThat(renewal(TTL)).isCompletedWithValue(List.of(true));
		assertThat(this.reordered).isEmpty();
		assertThat(renewal(LONGER)).as("which an older renewal may undo").isNotDone();
	}

	private void extend() {
		assertThat(renewal(LONGER)).isCompletedWithValue(List.of(true));
	}

	private CompletableFuture<List<@Nullable Boolean>> renewal(Duration ttl) {
		return this.store.renew(List.of(new Renew("k", "a:1", ttl)));
	}

}
