// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
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

	// how many are unanswered
	private final AtomicInteger open = new AtomicInteger();

	private volatile Runnable answered = () -> {
	};

	Round(Electorate electorate) {
		this.electorate = electorate;
		this.sent = new AtomicReferenceArray<>(electorate.size());
	}

	/**
	 * Give nodes some time, up to when there is a result and all have answered. Whoever
	 * cancels the result withdraws what is unanswered.
	 * @param timeOver what to do when it is over
	 */
	void limit(CompletableFuture<?> result, long patience, Runnable timeOver) {
		Runnable timeout = this.electorate.timer().schedule(timeOver, patience);
		this.answered = () -> {
			if (result.isDone() && (result.isCancelled() || this.open.get() == 0)) {
				timeout.run();
			}
		};
		var unused = result.whenComplete((reply, failure) -> {
			this.answered.run();
			if (result.isCancelled()) {
				cancel();
			}
		});
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
		this.open.incrementAndGet();
		this.sent.set(node, answer);
		Duration timeout = this.electorate.shorterTimeout(node);
		if (timeout != null && !answer.isDone()) {
			this.electorate.limit(answer, timeout);
		}
		return answer;
	}

	private <T> void listen(int node, CompletableFuture<T> answer, Listener<T> listener) {
		var unused = answer.whenComplete((reply, failure) -> {
			listener.answered(node, reply, failure);
			this.open.decrementAndGet();
			this.answered.run();
		});
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
