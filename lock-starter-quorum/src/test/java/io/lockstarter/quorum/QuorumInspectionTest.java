// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockStoreException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is said of the keys of a quorum: what one node has.
 */
class QuorumInspectionTest {

	private static final Duration TTL = Duration.ofMinutes(1);

	private static final Duration TIMEOUT = Duration.ofMillis(500);

	private final ManualTimer timer = new ManualTimer();

	private final List<ScriptedNode> nodes = Stream.generate(() -> new ScriptedNode(this.timer, 0)).limit(3).toList();

	private final QuorumLockStore store = new QuorumLockStore(
			this.nodes.stream().map((node) -> new QuorumNode(node, TIMEOUT)).toList(), TTL, TIMEOUT, this.timer);

	@Test
	void firstNodeIsAsked() {
		put("a", 0);
		put("b", 1, 2);
		assertThat(holder("a")).containsExactly("x:1");
		assertThat(holder("b")).isEmpty();
		assertThat(keys(this.store.scan(null, 10).join())).containsExactly("a");
	}

	@Test
	void nextNodeIsAskedIfOneIsDown() {
		put("a", 1, 2);
		this.nodes.get(0).down = true;
		assertThat(holder("a")).containsExactly("x:1");
		assertThat(keys(this.store.scan("a", null, 10).join())).containsExactly("a");
		assertThat(keys(this.store.scan("b", null, 10).join())).isEmpty();
	}

	@Test
	void nextNodeIsAskedIfOneHangs() {
		put("a", 1, 2);
		this.nodes.get(0).hanging = true;
		CompletableFuture<StoredLockDetails> details = this.store.inspect("a");
		this.timer.pass(TIMEOUT.minusMillis(1));
		assertThat(details).isNotDone();
		this.timer.pass(Duration.ofMillis(1));
		assertThat(details.join().lock().ownerIds()).containsExactly("x:1");
	}

	@Test
	void nextPageIsThatOfTheSameNode() {
		put("a", 1);
		put("b", 1);
		put("c", 0);
		this.nodes.get(0).down = true;
		StoredLocks first = this.store.scan(null, 10).join();
		assertThat(keys(first)).containsExactly("a");
		this.nodes.get(0).down = false;
		StoredLocks second = this.store.scan(first.next(), 10).join();
		assertThat(keys(second)).containsExactly("b");
		assertThat(second.next()).isNull();
	}

	@Test
	void cursorThatIsNoneIsRefused() {
		for (String cursor : List.of("", "x", "0", "3:", "-1:", "x:1")) {
			assertThat(this.store.scan(cursor, 10).handle((page, failure) -> failure)).as(cursor)
				.isCompletedWithValueMatching(IllegalArgumentException.class::isInstance);
		}
	}

	@Test
	void failureIsThatOfANode() {
		this.nodes.forEach((node) -> node.down = true);
		assertThat(this.store.scan(null, 10).handle((page, failure) -> failure.getCause()))
			.isCompletedWithValueMatching(LockStoreException.class::isInstance);
		assertThat(this.store.inspect("a").handle((details, failure) -> failure.getCause()))
			.isCompletedWithValueMatching(LockStoreException.class::isInstance);
	}

	private List<String> holder(String key) {
		return this.store.inspect(key).join().lock().ownerIds();
	}

	private static List<String> keys(StoredLocks page) {
		return page.locks().stream().map(StoredLock::key).toList();
	}

	private void put(String key, int... at) {
		for (int node : at) {
			this.nodes.get(node).put(key, "x:1", TTL);
		}
	}

}
