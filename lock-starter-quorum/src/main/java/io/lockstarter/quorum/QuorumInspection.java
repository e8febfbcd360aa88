// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the keys of one node, the first that is connected and answers. It may miss a
 * key that the others have, and have one that the others miss. Immutable.
 */
record QuorumInspection(Electorate electorate) {

	CompletableFuture<StoredLockDetails> inspect(String key) {
		return ask(nodes(), (node) -> this.electorate.node(node).inspect(key));
	}

	/**
	 * List keys page by page, all of the same node.
	 */
	CompletableFuture<StoredLocks> page(String prefix, @Nullable String cursor, int limit) {
		if (cursor == null) {
			return ask(nodes(), (node) -> page(node, prefix, null, limit));
		}
		int colon = cursor.indexOf(':');
		int node;
		try {
			node = Objects.checkIndex(Integer.parseInt(cursor.substring(0, colon)), this.electorate.size());
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(
					new IllegalArgumentException("The cursor '%s' is not one of a page before".formatted(cursor), ex));
		}
		return page(node, prefix, cursor.substring(colon + 1), limit);
	}

	private CompletableFuture<StoredLocks> page(int node, String prefix, @Nullable String cursor, int limit) {
		return this.electorate.node(node)
			.scan(prefix, cursor, limit)
			.thenApply(
					(page) -> new StoredLocks(page.locks(), (page.next() != null) ? node + ":" + page.next() : null));
	}

	private Iterator<Integer> nodes() {
		return IntStream.range(0, this.electorate.size())
			.boxed()
			.sorted(Comparator.comparing((node) -> !this.electorate.isConnected(node)))
			.iterator();
	}

	private <T> CompletableFuture<T> ask(Iterator<Integer> nodes, IntFunction<CompletableFuture<T>> question) {
		CompletableFuture<T> answer = question.apply(nodes.next());
		this.electorate.limit(answer, this.electorate.longestTimeout());
		return answer.exceptionallyCompose(
				(failure) -> nodes.hasNext() ? ask(nodes, question) : CompletableFuture.failedFuture(failure));
	}

}
