// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.Arrays;
import java.util.List;
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

	private final List<Renew> commands;

	private final Round round;

	private final CompletableFuture<List<@Nullable Boolean>> result = new CompletableFuture<>();

	private final Object monitor = new Object();

	private final @Nullable HeldKey[] held;

	// the nodes that were known to have each key when this renewal was sent
	private final int[] asked;

	private final long sentAt;

	// What follows is guarded by the monitor.

	private final int[] yes;

	private final int[] no;

	private int answered;

	// whether the renewal counts for each key
	private final boolean[] counts;

	private final Failures failures = new Failures();

	private @Nullable Runnable timeout;

	private boolean over;

	Renewal(Electorate electorate, HeldKeys keys, KeyOrder order, List<Renew> commands) {
		this.electorate = electorate;
		this.keys = keys;
		this.order = order;
		this.commands = commands;
		this.round = new Round(electorate);
		this.held = new HeldKey[commands.size()];
		this.asked = new int[commands.size()];
		this.yes = new int[commands.size()];
		this.no = new int[commands.size()];
		this.counts = new boolean[commands.size()];
		for (int i = 0; i < commands.size(); i++) {
			HeldKey known = keys.get(commands.get(i).key(), commands.get(i).ownerId());
			this.held[i] = known;
			this.asked[i] = (known != null) ? known.mine() : allNodes();
		}
		this.sentAt = electorate.nanoTime();
	}

	CompletableFuture<List<@Nullable Boolean>> start() {
		long patience = this.commands.stream()
			.mapToLong((command) -> this.electorate.patience(command.ttl()))
			.min()
			.orElseThrow();
		Runnable cancel = this.electorate.timer().schedule(this.round::cancel, patience);
		synchronized (this.monitor) {
			this.timeout = cancel;
		}
		var unused = this.result.whenComplete((reply, failure) -> {
			if (this.result.isCancelled()) {
				this.round.cancel();
			}
		});
		this.round.sendToAll((node) -> node.renew(this.commands), this::answered);
		return this.result;
	}

	private void answered(int node, @Nullable List<@Nullable Boolean> reply, @Nullable Throwable failure) {
		boolean late;
		boolean all;
		List<@Nullable Boolean> outcome = null;
		RuntimeException problem = null;
		synchronized (this.monitor) {
			this.answered |= 1 << node;
			if (reply == null) {
				this.failures.add(node, failure);
			}
			for (int i = 0; reply != null && i < reply.size(); i++) {
				note(i, node, reply.get(i));
			}
			late = this.over;
			all = this.answered == allNodes();
			if (!late) {
				outcome = outcome(all);
				if (outcome == null && all) {
					problem = this.failures.toException("renew", this.commands.get(0).key(), this.round.size(), true);
				}
				this.over = outcome != null || problem != null;
				for (int i = 0; outcome != null && i < this.counts.length; i++) {
					this.counts[i] = Boolean.TRUE.equals(outcome.get(i));
				}
			}
		}
		if (all) {
			cancelTimeout();
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

	private void note(int i, int node, @Nullable Boolean has) {
		HeldKey known = this.held[i];
		if (has == null) {
			return;
		}
		if (has) {
			this.yes[i] |= 1 << node;
		}
		else {
			this.no[i] |= 1 << node;
		}
		if (known != null && has) {
			known.found(node, false);
		}
		else if (known != null) {
			known.missing(node);
		}
	}

	/**
	 * Return for each key whether it is held. What is open for one of them is waited for;
	 * in the end it does not matter to the others, and is {@code null}.
	 * @return the outcome; {@code null} as long as there is none, or if there is none for
	 * any of them
	 */
	private @Nullable List<@Nullable Boolean> outcome(boolean all) {
		@Nullable Boolean[] outcome = new Boolean[this.commands.size()];
		boolean any = false;
		for (int i = 0; i < outcome.length; i++) {
			HeldKey known = this.held[i];
			int counting = (known != null) ? known.sure() : allNodes();
			int open = allNodes() & ~this.answered;
			if (Integer.bitCount(this.yes[i] & counting) >= this.electorate.majority()) {
				outcome[i] = true;
			}
			else if (Integer.bitCount((this.yes[i] | open | unknown(i)) & counting) < this.electorate.majority()) {
				outcome[i] = false;
			}
			else if (!all) {
				return null;
			}
			any |= outcome[i] != null;
		}
		return any ? Arrays.asList(outcome) : null;
	}

	// Nodes that failed may have the key.
	private int unknown(int i) {
		return this.answered & ~(this.yes[i] | this.no[i]);
	}

	private void end(List<@Nullable Boolean> outcome) {
		for (int i = 0; i < outcome.size(); i++) {
			Renew command = this.commands.get(i);
			HeldKey known = this.held[i];
			Boolean held = outcome.get(i);
			if (known != null && Boolean.TRUE.equals(held)) {
				known.renewed(this.asked[i], this.sentAt + command.ttl().toNanos());
			}
			else if (known != null && held != null) {
				this.keys.remove(command.key(), command.ownerId(), known);
			}
		}
		IntStream.range(0, this.round.size()).forEach(this::repair);
		this.result.complete(outcome);
	}

	/**
	 * Take the keys that a node does not have, if they are held all the same, and share
	 * those that it holds for one alone.
	 */
	private void repair(int node) {
		for (int i = 0; i < this.commands.size(); i++) {
			HeldKey known = this.held[i];
			boolean missing;
			boolean present;
			synchronized (this.monitor) {
				missing = this.counts[i] && (this.no[i] & 1 << node) != 0;
				present = this.counts[i] && (this.yes[i] & 1 << node) != 0;
				this.no[i] &= ~(1 << node);
			}
			if (missing && known != null) {
				repair(node, this.commands.get(i), known);
			}
			else if (present && known != null && known.isUnsharedAt(node)) {
				share(node, this.commands.get(i), known);
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

	private void cancelTimeout() {
		Runnable cancel = this.timeout;
		if (cancel != null) {
			cancel.run();
		}
	}

	private int allNodes() {
		return (1 << this.round.size()) - 1;
	}

}
