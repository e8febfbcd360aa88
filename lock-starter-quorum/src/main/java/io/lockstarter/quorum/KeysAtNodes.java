// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * What is known of keys at nodes: which of them are held where, and where they may be
 * although nobody wants them. Gives such keys back, and takes a key that is held again
 * where it is missing, behind other commands of the key. Thread-safe.
 */
final class KeysAtNodes {

	private final Electorate electorate;

	private final KeyOrder order;

	private final Reordering reordering;

	private final HeldKeys held = new HeldKeys();

	private final Leftovers leftovers;

	KeysAtNodes(Electorate electorate, KeyOrder order, Reordering reordering) {
		this.electorate = electorate;
		this.order = order;
		this.reordering = reordering;
		this.leftovers = new Leftovers(electorate, this::abandonAgain);
	}

	/**
	 * Note that an owner id asks for a key anew: what it had is over, and it has what it
	 * acquires now, or nothing.
	 * @return when it asked first
	 */
	long asked(Acquire command) {
		HeldKey before = this.held.remove(command.key(), command.ownerId());
		for (int node = 0; node < this.electorate.size(); node++) {
			this.leftovers.remove(node, command.key(), command.ownerId());
		}
		return (before != null) ? before.askedAt() : this.electorate.nanoTime();
	}

	/**
	 * Note that a key is held.
	 * @param askedAt when the first node was asked for it
	 * @param mine the nodes that granted it
	 * @param sure those of them that nobody has had a later lease from
	 * @param maybe other nodes that may have granted it
	 */
	HeldKey held(Acquire command, long askedAt, int mine, int sure, int maybe) {
		return this.held.add(command, askedAt, mine, sure, maybe, this.electorate.nanoTime());
	}

	@Nullable HeldKey get(String key, String ownerId) {
		return this.held.get(key, ownerId);
	}

	/**
	 * Note that a key is not held any more.
	 * @return what was known of it; {@code null} if nothing was
	 */
	@Nullable HeldKey remove(String key, String ownerId) {
		return this.held.remove(key, ownerId);
	}

	/**
	 * Note that a key was lost, unless it was acquired anew since.
	 */
	void lost(String key, String ownerId, HeldKey known) {
		this.held.remove(key, ownerId, known);
	}

	/**
	 * Note the answer of a node to a release.
	 * @param known where the key was held, if that is known
	 * @param longest how long the key is there at most if that is not known
	 */
	void released(int node, Release command, @Nullable HeldKey known, @Nullable Boolean held, Duration longest) {
		long now = this.electorate.nanoTime();
		boolean possible = known == null || known.isPossibleAt(node);
		boolean gone = held != null && (held || known == null || known.isAt(node));
		boolean replaced = (known != null) ? this.reordering.isReplacedSince(node, known.askedAt())
				: this.reordering.isLately(node);
		if (replaced || (possible && !gone)) {
			long until = (known != null) ? Math.max(known.until(), now + known.ttl().toNanos())
					: now + longest.toNanos();
			this.leftovers.add(node, command.key(), command.ownerId(), until);
		}
	}

	/**
	 * Note that a node does not grant the key that it was asked for.
	 * @param askedAt when the first node was asked for it
	 */
	void refused(int node, Acquire command, long askedAt) {
		if (this.reordering.isReplacedSince(node, askedAt)) {
			add(node, command);
		}
	}

	private void add(int node, Acquire command) {
		long until = this.electorate.nanoTime() + command.ttl().toNanos();
		this.leftovers.add(node, command.key(), command.ownerId(), until);
	}

	/**
	 * Take a key at a node that does not have it, in the mode in which it is held by
	 * then. If its lease is over when the node has it, it is given back: by then the same
	 * owner id may want the key again, and count on this node.
	 */
	void repair(int node, Renew renewed, HeldKey known) {
		String ownerId = renewed.ownerId();
		String instance = ownerId.substring(0, Math.max(0, ownerId.lastIndexOf(':')));
		var unused = this.order.send(List.of(renewed.key()), () -> {
			if (known.isOver(this.electorate.nanoTime())) {
				return CompletableFuture.completedFuture(false);
			}
			Acquire command = new Acquire(renewed.key(), instance, ownerId, renewed.ttl(), false, 1, false,
					known.mode());
			var unusedAnswer = this.electorate.node(node).acquire(command).thenAccept((reply) -> {
				if (reply instanceof Acquired && !known.isOver(this.electorate.nanoTime())) {
					known.found(node, false);
				}
				else if (reply instanceof Acquired) {
					unlessHeld(command.key(), command.ownerId(),
							() -> abandon(node, command, known.askedAt(), () -> false));
				}
			});
			return CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * Tell a node that has a key that it is shared, which was not known to have been told
	 * so.
	 */
	void share(int node, Renew command, HeldKey known) {
		var unused = this.order.send(List.of(command.key()), () -> {
			if (!known.isOver(this.electorate.nanoTime())) {
				known.sharing(node, this.electorate.node(node).share(command));
			}
			return CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * Give a vote back; whoever wants to stand in the queue does so in any case.
	 * @param askedAt when the first node was asked for the key
	 * @param unanswered whether the node did not answer to the acquisition, and so may
	 * take the key after it had none to give back
	 */
	void abandon(int node, Acquire command, long askedAt, BooleanSupplier unanswered) {
		var unused = this.electorate.node(node)
			.abandon(command.key(), command.ownerId(), command.enqueue() ? command.mode() : null)
			.whenComplete((held, failure) -> {
				if (held == null || (!held && unanswered.getAsBoolean())
						|| this.reordering.isReplacedSince(node, askedAt)) {
					add(node, command);
				}
			});
	}

	/**
	 * Give a vote back that a node may have all the same.
	 */
	private void abandonAgain(int node, String key, String ownerId) {
		unlessHeld(key, ownerId, () -> {
			// If not, the owner id wanted the key again meanwhile.
			if (this.electorate.isConnected(node) && this.leftovers.contains(node, key, ownerId)) {
				var unused = this.electorate.node(node).abandon(key, ownerId, null).thenAccept((held) -> {
					if (!this.reordering.isLately(node)) {
						this.leftovers.remove(node, key, ownerId);
					}
				});
			}
		});
	}

	/**
	 * Do something for a key that its owner id does not want: neither has it the key, nor
	 * does it ask for it. If it asks later, its commands come later at each node.
	 */
	private void unlessHeld(String key, String ownerId, Runnable step) {
		var unused = this.order.send(List.of(key), () -> {
			HeldKey known = this.held.get(key, ownerId);
			if (known == null || known.isOver(this.electorate.nanoTime())) {
				step.run();
			}
			return CompletableFuture.completedFuture(true);
		});
	}

	/**
	 * Return how many keys nodes may have although nobody wants them there.
	 */
	int leftoverCount() {
		return this.leftovers.size();
	}

}
