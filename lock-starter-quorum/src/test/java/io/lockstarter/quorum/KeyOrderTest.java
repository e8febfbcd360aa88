// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link KeyOrder}: turns of a key, whatever happens in one of them.
 */
class KeyOrderTest {

	private final KeyOrder order = new KeyOrder();

	private final List<String> sent = new ArrayList<>();

	@Test
	void whatFollowsACommandThatIsThroughHasItsTurnThen() {
		CompletableFuture<Boolean> first = new CompletableFuture<>();
		var unused = this.order.sendAlone("a", () -> sent("first", first));
		CompletableFuture<Boolean> second = this.order.send(List.of("a", "b"), () -> sent("second", done()));
		assertThat(this.sent).containsExactly("first");
		first.complete(true);
		assertThat(this.sent).containsExactly("first", "second");
		assertThat(second).isCompletedWithValue(true);
		assertThat(this.order.size()).isZero();
	}

	/**
	 * As long as the first one reads its keys, the second one comes with the same keys in
	 * another order.
	 */
	@Test
	void twoWhoseKeysCrossDoNotWaitForEachOther() {
		CompletableFuture<Boolean> blocker = new CompletableFuture<>();
		var unused = this.order.sendAlone("x", () -> blocker);
		List<CompletableFuture<Boolean>> crossing = new ArrayList<>();
		Collection<String> keys = new ArrayList<>(List.of("a", "b")) {

			@Override
			public Stream<String> stream() {
				return super.stream().peek(this::crossed);
			}

			@Override
			public Object[] toArray() {
				crossed("b");
				return super.toArray();
			}

			@Override
			public java.util.Iterator<String> iterator() {
				crossed("b");
				return super.iterator();
			}

			private void crossed(String key) {
				if (key.equals("b") && crossing.isEmpty()) {
					crossing.add(KeyOrderTest.this.order.send(List.of("x", "b", "a"), () -> sent("second", done())));
				}
			}

		};
		CompletableFuture<Boolean> first = this.order.send(keys, () -> sent("first", done()));
		blocker.complete(true);
		assertThat(first).isCompletedWithValue(true);
		assertThat(crossing).singleElement().satisfies((second) -> assertThat(second).isCompletedWithValue(true));
		assertThat(this.order.size()).isZero();
	}

	@Test
	void aCommandThatThrowsFailsAndIsFollowedByOthers() {
		assertThat(this.order.sendAlone("a", KeyOrderTest::fails)).isCompletedExceptionally();
		assertThat(this.order.send(List.of("a", "b"), KeyOrderTest::fails)).isCompletedExceptionally();
		assertThat(this.order.send(List.of("b", "a"), KeyOrderTest::done)).isCompletedWithValue(true);
		assertThat(this.order.size()).isZero();
	}

	@Test
	void aCommandThatThrowsWhenItsTurnComesFailsAndIsFollowedByOthers() {
		CompletableFuture<Boolean> first = new CompletableFuture<>();
		var unused = this.order.sendAlone("a", () -> first);
		CompletableFuture<Boolean> second = this.order.sendAlone("a", KeyOrderTest::fails);
		CompletableFuture<Boolean> third = this.order.send(List.of("a"), KeyOrderTest::done);
		first.complete(true);
		assertThat(second).isCompletedExceptionally();
		assertThat(third).isCompletedWithValue(true);
		assertThat(this.order.size()).isZero();
	}

	private static CompletableFuture<Boolean> fails() {
		throw new InternalError("no thread");
	}

	private static CompletableFuture<Boolean> done() {
		return CompletableFuture.completedFuture(true);
	}

	private CompletableFuture<Boolean> sent(String name, CompletableFuture<Boolean> answer) {
		this.sent.add(name);
		return answer;
	}

}
