// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * One renewal of several keys: the actions {@code Renew} and {@code Renewed} of the
 * model, and the {@code Repair} of what it finds missing.
 * <p>
 * A node counts for a key if it has had it since before the last renewal that counted: a
 * majority of such nodes proves that nobody else had a lease in between. A node that does
 * not have the key takes it again, and counts in the renewal after the next.
 */
final class Renewal {

	private final Electorate electorate;

	private final HeldKeys keys;

	private final KeyOrder order;

	private final List<Renewed> renewed;

	private final Round round;

	private final CompletableFuture<List<@Nullable Boolean>> result = new CompletableFuture<>();

	private final long sentAt;

	// What follows, and what is known of each key, is guarded by the failures.

	private final Failures failures = new Failures();

	private int answered;

	private boolean over;

	Renewal(Electorate electorate, HeldKeys keys, KeyOrder order, List<Renew> commands) {
		this.electorate = electorate;
		this.keys = keys;
		this.order = order;
		this.round = new Round(electorate);
		this.renewed = commands.stream().map(Renewed::new).toList();
		this.sentAt = electorate.nanoTime();
	}

	CompletableFuture<List<@Nullable Boolean>> start() {
		List<Renew> commands = this.renewed.stream().map((each) -> each.command).toList();
		long patience = commands.stream()
			.mapToLong((command) -> this.electorate.patience(command.ttl()))
			.min()
			.orElseThrow();
		this.round.limit(this.result, patience, this.round::cancel);
		this.round.sendToAll((node) -> node.renew(commands), this::answered);
		return this.result;
	}

	private void answered(int node, @Nullable List<@Nullable Boolean> reply, @Nullable Throwable failure) {
		boolean late;
		List<@Nullable Boolean> outcome = null;
		RuntimeException problem = null;
		synchronized (this.failures) {
			this.answered |= 1 << node;
			if (reply == null) {
				this.failures.add(node, failure);
			}
			for (int i = 0; reply != null && i < reply.size(); i++) {
				this.renewed.get(i).note(node, reply.get(i));
			}
			late = this.over;
			boolean all = this.answered == allNodes();
			if (!late) {
				outcome = outcome(all);
			}
			if (!late && outcome == null && all) {
				problem = this.failures.toException("renew", this.renewed.get(0).command.key(), this.round.size(),
						true);
			}
			this.over = late || outcome != null || problem != null;
		}
		if (late) {
			repair(node);
		}
		else if (outcome != null) {
			end(outcome);
		}
		else if (problem != null) {
			this.result.completeExceptionally(problem);
		}
	}

	/**
	 * Return for each key whether it is held. What is open for one of them is waited for;
	 * in the end it does not matter to the others, and is {@code null}.
	 * @return the outcome; {@code null} as long as there is none, or if there is none for
	 * any of them
	 */
	private @Nullable List<@Nullable Boolean> outcome(boolean all) {
		List<@Nullable Boolean> outcome = new ArrayList<>();
		this.renewed.forEach((each) -> outcome.add(each.isHeld()));
		if (all ? outcome.stream().allMatch(Objects::isNull) : outcome.contains(null)) {
			return null;
		}
		for (int i = 0; i < outcome.size(); i++) {
			this.renewed.get(i).counts = Boolean.TRUE.equals(outcome.get(i));
		}
		return outcome;
	}

	private void end(List<@Nullable Boolean> outcome) {
		for (int i = 0; i < outcome.size(); i++) {
			this.renewed.get(i).end(outcome.get(i));
		}
		IntStream.range(0, this.round.size()).forEach(this::repair);
		this.result.complete(outcome);
	}

	/**
	 * Take the keys that a node does not have, if they are held all the same, and share
	 * those that it holds for one alone.
	 */
	private void repair(int node) {
		for (Renewed each : this.renewed) {
			HeldKey known = each.known;
			boolean missing;
			boolean present;
			synchronized (this.failures) {
				missing = each.counts && (each.no & 1 << node) != 0;
				present = each.counts && (each.yes & 1 << node) != 0;
				each.no &= ~(1 << node);
			}
			if (missing && known != null) {
				repair(node, each.command, known);
			}
			else if (present && known != null && known.isUnsharedAt(node)) {
				share(node, each.command, known);
			}
		}
	}

	/**
	 * Take a key at a node that does not have it, in the mode in which it is held by
	 * then. If its lease is over when the node has it, the vote lasts for its ttl: to
	 * give it back might take one that the same owner id got again.
	 */
	private void repair(int node, Renew renewed, HeldKey known) {
		String ownerId = renewed.ownerId();
		String instance = ownerId.substring(0, Math.max(0, ownerId.lastIndexOf(':')));
		ifHeld(renewed.key(), known, () -> {
			Acquire command = new Acquire(renewed.key(), instance, ownerId, renewed.ttl(), false, 1, false,
					known.mode());
			var unused = this.electorate.node(node).acquire(command).thenAccept((reply) -> {
				if (reply instanceof Acquired) {
					known.found(node, false);
				}
			});
		});
	}

	/**
	 * Tell a node that has a key that it is shared, which was not known to have been told
	 * so.
	 */
	private void share(int node, Renew command, HeldKey known) {
		ifHeld(command.key(), known, () -> known.sharing(node, this.electorate.node(node).share(command)));
	}

	// Behind other commands of the key.
	private void ifHeld(String key, HeldKey known, Runnable step) {
		var unused = this.order.send(List.of(key), () -> {
			if (!known.isOver(this.electorate.nanoTime())) {
				step.run();
			}
			return CompletableFuture.completedFuture(true);
		});
	}

	private int allNodes() {
		return (1 << this.round.size()) - 1;
	}

	/**
	 * One of the keys, and which nodes say that they have it.
	 */
	private final class Renewed {

		private final Renew command;

		private final @Nullable HeldKey known;

		// the nodes that were known to have it when this renewal was sent
		private final int asked;

		private int yes;

		private int no;

		private boolean counts;

		Renewed(Renew command) {
			this.command = command;
			this.known = Renewal.this.keys.get(command.key(), command.ownerId());
			this.asked = (this.known != null) ? this.known.mine() : allNodes();
		}

		void note(int node, @Nullable Boolean has) {
			if (has == null) {
				return;
			}
			if (has) {
				this.yes |= 1 << node;
			}
			else {
				this.no |= 1 << node;
			}
			if (this.known != null && has) {
				this.known.found(node, false);
			}
			else if (this.known != null) {
				this.known.missing(node);
			}
		}

		// Nodes that failed may have the key.
		@Nullable Boolean isHeld() {
			int counting = (this.known != null) ? this.known.sure() : allNodes();
			int majority = Renewal.this.electorate.majority();
			if (Integer.bitCount(this.yes & counting) >= majority) {
				return true;
			}
			return (Integer.bitCount(~this.no & counting) < majority) ? false : null;
		}

		void end(@Nullable Boolean held) {
			if (this.known != null && Boolean.TRUE.equals(held)) {
				this.known.renewed(this.asked, Renewal.this.sentAt + this.command.ttl().toNanos());
			}
			else if (this.known != null && held != null) {
				Renewal.this.keys.remove(this.command.key(), this.command.ownerId(), this.known);
			}
		}

	}

}
