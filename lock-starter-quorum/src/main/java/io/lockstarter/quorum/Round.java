// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Commands to all nodes that are on their way at the same time. Who gives a node no more
 * time cancels what it was sent. Thread-safe.
 */
final class Round {

	private final Electorate electorate;

	private final AtomicReferenceArray<@Nullable CompletableFuture<?>> sent;

	Round(Electorate electorate) {
		this.electorate = electorate;
		this.sent = new AtomicReferenceArray<>(electorate.size());
	}

	int size() {
		return this.electorate.size();
	}

	/**
	 * Send a command to all nodes. A listener may be called before this method returns,
	 * and the commands are sent to all nodes all the same.
	 */
	<T> void sendToAll(Function<VotingStore, CompletableFuture<T>> command, Listener<T> listener) {
		List<CompletableFuture<T>> answers = new ArrayList<>();
		for (int node = 0; node < this.electorate.size(); node++) {
			answers.add(sent(node, command));
		}
		for (int node = 0; node < answers.size(); node++) {
			listen(node, answers.get(node), listener);
		}
	}

	<T> void send(int node, Function<VotingStore, CompletableFuture<T>> command, Listener<T> listener) {
		listen(node, sent(node, command), listener);
	}

	private <T> CompletableFuture<T> sent(int node, Function<VotingStore, CompletableFuture<T>> command) {
		CompletableFuture<T> answer;
		try {
			answer = command.apply(this.electorate.node(node));
		}
		catch (RuntimeException | Error ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		this.sent.set(node, answer);
		Duration timeout = this.electorate.shorterTimeout(node);
		if (timeout != null && !answer.isDone()) {
			this.electorate.limit(answer, timeout);
		}
		return answer;
	}

	private static <T> void listen(int node, CompletableFuture<T> answer, Listener<T> listener) {
		var unused = answer.whenComplete((reply, failure) -> listener.answered(node, reply, failure));
	}

	/**
	 * Withdraw what is unanswered; its listeners are told of a failure.
	 */
	void cancel() {
		for (int node = 0; node < this.electorate.size(); node++) {
			CompletableFuture<?> command = this.sent.get(node);
			if (command != null) {
				command.cancel(false);
			}
		}
	}

	/**
	 * Told of answers.
	 *
	 * @param <T> the type of answer
	 */
	@FunctionalInterface
	interface Listener<T> {

		void answered(int node, @Nullable T reply, @Nullable Throwable failure);

	}

}
