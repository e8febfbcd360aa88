// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import io.lockstarter.LockInspector.StoredLock;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockStoreException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The list of all keys of a quorum, some nodes of which miss some.
 */
class ListingTest {

	private static final Duration TTL = Duration.ofMinutes(1);

	private final ManualTimer timer = new ManualTimer();

	private final List<ScriptedNode> nodes = Stream.generate(() -> new ScriptedNode(this.timer, 0)).limit(3).toList();

	private final QuorumLockStore store = store();

	@Test
	void keyThatTheFirstNodeMissesIsListedAndEachKeyOnce() {
		put("a", 0, 1, 2);
		put("b", 1, 2);
		put("c", 0, 2);
		put("d", 0, 1);
		assertThat(listed("")).containsExactlyInAnyOrder("a", "b", "c", "d");
	}

	@Test
	void keysAreThoseThatBeginSo() {
		put("a1", 1, 2);
		put("a2", 0, 1);
		put("b1", 1, 2);
		assertThat(listed("a")).containsExactlyInAnyOrder("a1", "a2");
	}

	@Test
	void twoNodesOfThreeHaveAllKeysOfAMajority() {
		put("a", 1, 2);
		put("b", 0, 1);
		this.nodes.get(0).down = true;
		assertThat(listed("")).containsExactlyInAnyOrder("a", "b");
		this.nodes.get(0).down = false;
		this.nodes.get(2).down = true;
		assertThat(listed("")).containsExactlyInAnyOrder("a", "b");
		this.nodes.get(1).down = true;
		StoredLocks first = this.store.scan(null, 10).join();
		assertThat(this.store.scan(first.next(), 10)).isCompletedExceptionally();
	}

	@Test
	void nodeThatFailsHalfWayIsMadeUpForByTheNext() {
		put("a", 0, 1);
		put("b", 0, 1);
		put("c", 0, 2);
		StoredLocks first = this.store.scan(null, 10).join();
		assertThat(first.locks()).extracting(StoredLock::key).containsExactly("a");
		this.nodes.get(0).down = true;
		assertThat(rest("", first, this.store)).containsExactlyInAnyOrder("b", "c");
	}

	@Test
	void anotherInstanceGoesOnAndListsAKeyTwiceAtMost() {
		put("a", 0, 1, 2);
		put("b", 0, 1, 2);
		StoredLocks first = this.store.scan(null, 10).join();
		assertThat(rest("", first, store())).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void pageThatIsAskedForAgainHasTheSameKeys() {
		put("a", 0, 1, 2);
		put("b", 1, 2);
		StoredLocks first = this.store.scan(null, 10).join();
		StoredLocks second = this.store.scan(first.next(), 10).join();
		assertThat(this.store.scan(first.next(), 10).join().locks()).isEqualTo(second.locks());
		StoredLocks third = this.store.scan(second.next(), 10).join();
		assertThat(third.locks()).extracting(StoredLock::key).containsExactly("b");
		assertThat(this.store.scan(second.next(), 10).join().locks()).isEqualTo(third.locks());
	}

	@Test
	void cursorThatIsNoneIsRefused() {
		for (String cursor : List.of("", "x", "0", "x:9:0:", "x:-1:0:", "x:1:2:", "x:y:0:")) {
			assertThat(this.store.scan(cursor, 10).handle((page, failure) -> failure)).as(cursor)
				.isCompletedWithValueMatching(IllegalArgumentException.class::isInstance);
		}
	}

	@Test
	void failureIsThatOfANode() {
		this.nodes.forEach((node) -> node.down = true);
		assertThat(this.store.scan(null, 10).handle((page, failure) -> failure.getCause()))
			.isCompletedWithValueMatching(LockStoreException.class::isInstance);
	}

	private List<String> listed(String prefix) {
		return rest(prefix, new StoredLocks(List.of(), ""), this.store);
	}

	private List<String> rest(String prefix, StoredLocks before, QuorumLockStore asked) {
		List<String> keys = new ArrayList<>();
		String cursor = before.next();
		while (cursor != null) {
			StoredLocks page = asked.scan(prefix, begin(cursor), 10).join();
			page.locks().forEach((lock) -> keys.add(lock.key()));
			cursor = page.next();
		}
		return keys;
	}

	private static @Nullable String begin(String cursor) {
		return cursor.isEmpty() ? null : cursor;
	}

	private void put(String key, int... at) {
		for (int node : at) {
			this.nodes.get(node).put(key, "x:1", TTL);
		}
	}

	private QuorumLockStore store() {
		return new QuorumLockStore(
				this.nodes.stream().map((node) -> new QuorumNode(node, Duration.ofMillis(500))).toList(), TTL,
				Duration.ofMillis(500), this.timer);
	}

}
