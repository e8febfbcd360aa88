// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A command to all nodes that ends when a majority has answered. The others have it, too,
 * or get it later.
 */
final class Tally {

	private final Electorate electorate;

	private final String verb;

	private final String key;

	private final Round round;

	private final Function<List<Boolean>, @Nullable Boolean> result;

	private final CompletableFuture<Boolean> future = new CompletableFuture<>();

	private final List<Boolean> answers = new ArrayList<>();

	private final Failures failures = new Failures();

	/**
	 * Create a tally.
	 * @param result the result of the answers so far, of a majority at least;
	 * {@code null} if it is open
	 */
	Tally(Electorate electorate, String verb, String key, Function<List<Boolean>, @Nullable Boolean> result) {
		this.electorate = electorate;
		this.verb = verb;
		this.key = key;
		this.round = new Round(electorate);
		this.result = result;
	}

	CompletableFuture<Boolean> start(Function<VotingStore, CompletableFuture<Boolean>> command, long patience) {
		try {
			this.round.limit(this.future, patience, this.round::cancel);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		this.round.sendToAll(command, this::answered);
		return this.future;
	}

	private void answered(int node, @Nullable Boolean reply, @Nullable Throwable failure) {
		Boolean outcome = null;
		RuntimeException problem = null;
		synchronized (this.answers) {
			if (failure == null && reply != null) {
				this.answers.add(reply);
			}
			else {
				this.failures.add(node, failure);
			}
			if (this.answers.size() >= this.electorate.majority()) {
				outcome = this.result.apply(this.answers);
			}
			int open = this.round.size() - this.answers.size() - this.failures.count();
			if (outcome == null && (open == 0 || this.answers.size() + open < this.electorate.majority())) {
				problem = this.failures.toException(this.verb, this.key, this.round.size(), true);
			}
		}
		if (outcome != null) {
			this.future.complete(outcome);
		}
		else if (problem != null) {
			this.future.completeExceptionally(problem);
		}
	}

}
