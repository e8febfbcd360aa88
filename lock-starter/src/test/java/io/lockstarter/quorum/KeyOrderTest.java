/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
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
