// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockMode;

/**
 * A key that is held: at which nodes, as far as known. Nodes are bits. Thread-safe.
 */
final class HeldKey {

	private static final int ALL = -1;

	private LockMode mode;

	private int mine;

	private int sure;

	// nodes that released the key by force, which renewals find out by themselves
	private int forced;

	// nodes that may take the key for one that is held exclusively, although it is shared
	private int unshared;

	private long until;

	private boolean over;

	HeldKey(LockMode mode, int mine, int sure, long until) {
		this.mode = mode;
		this.mine = mine;
		this.sure = sure;
		this.until = until;
	}

	/**
	 * Return how the key is held: what a node that lost it is to take it for.
	 */
	synchronized LockMode mode() {
		return this.mode;
	}

	/**
	 * The key is shared from now on, and all nodes are to be told so.
	 */
	synchronized void share() {
		this.mode = LockMode.SHARED;
		this.unshared = ALL;
	}

	/**
	 * A node is told that the key is shared.
	 * @param answer whether it had the key
	 */
	void sharing(int node, CompletableFuture<Boolean> answer) {
		var unused = answer.thenAccept((held) -> shared(node, held));
	}

	private synchronized void shared(int node, boolean held) {
		if (held) {
			this.unshared &= ~(1 << node);
		}
	}

	/**
	 * Return whether a node has the key, and may not know that it is shared.
	 */
	synchronized boolean isUnsharedAt(int node) {
		return (this.mine & this.unshared & 1 << node) != 0;
	}

	/**
	 * Return the nodes that are known to have the key, and not known to have lost it.
	 */
	synchronized int mine() {
		return this.mine;
	}

	/**
	 * Return those of them that nobody has had a later lease from; but for others who
	 * share the key, if it is shared.
	 */
	synchronized int sure() {
		return this.sure;
	}

	/**
	 * A node has the key.
	 * @param always whether it is known that nobody else had a lease from it since this
	 * one began, or only others who share the key
	 */
	synchronized void found(int node, boolean always) {
		this.mine |= 1 << node;
		this.forced &= ~(1 << node);
		this.sure |= always ? 1 << node : 0;
	}

	/**
	 * A node does not have the key. When it takes it again it has had it only since then.
	 */
	synchronized void missing(int node) {
		this.mine &= ~(1 << node);
		this.sure &= ~(1 << node);
	}

	/**
	 * A node released the key by force. What renewals count is as before, so that none of
	 * them fails before its holder is told why.
	 * @return whether no majority is left
	 */
	synchronized boolean isForced(int node, int majority) {
		this.forced |= 1 << node;
		return Integer.bitCount(this.sure & ~this.forced) < majority;
	}

	/**
	 * A renewal counted. A vote that came while it was on its way is as good as before.
	 * @param asked the nodes that were known to have the key when it was sent
	 */
	synchronized void renewed(int asked, long newUntil) {
		this.sure |= asked & this.mine;
		this.until = Math.max(this.until, newUntil);
	}

	synchronized boolean isOver(long now) {
		return this.over || now - this.until >= 0;
	}

	synchronized void end() {
		this.over = true;
	}

}
