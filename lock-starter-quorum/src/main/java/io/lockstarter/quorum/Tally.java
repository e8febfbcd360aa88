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

	private int open;

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
		this.open = this.round.size();
	}

	CompletableFuture<Boolean> start(Function<VotingStore, CompletableFuture<Boolean>> command, long patience) {
		Runnable cancel;
		try {
			cancel = this.electorate.timer().schedule(this.round::cancel, patience);
		}
		catch (RuntimeException | Error ex) {
			return CompletableFuture.failedFuture(ex);
		}
		var unused = this.future.whenComplete((reply, failure) -> {
			if (this.future.isCancelled()) {
				cancel.run();
				this.round.cancel();
			}
		});
		this.round.sendToAll(command, (node, reply, failure) -> {
			if (answered(node, reply, failure)) {
				cancel.run();
			}
		});
		return this.future;
	}

	private boolean answered(int node, @Nullable Boolean reply, @Nullable Throwable failure) {
		Boolean outcome = null;
		RuntimeException problem = null;
		boolean last;
		synchronized (this.answers) {
			if (failure == null && reply != null) {
				this.answers.add(reply);
			}
			else {
				this.failures.add(node, failure);
			}
			this.open--;
			last = this.open == 0;
			if (this.answers.size() >= this.electorate.majority()) {
				outcome = this.result.apply(this.answers);
			}
			if (outcome == null && (last || this.answers.size() + this.open < this.electorate.majority())) {
				problem = this.failures.toException(this.verb, this.key, this.round.size(), true);
			}
		}
		if (outcome != null) {
			this.future.complete(outcome);
		}
		else if (problem != null) {
			this.future.completeExceptionally(problem);
		}
		return last;
	}

}
