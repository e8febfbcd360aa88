// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lockstarter.LockScope;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import org.jspecify.annotations.Nullable;

/**
 * Tries several keys once, all or none. First the queues of all keys in this JVM are
 * claimed, one after the other in the order of the keys, without I/O: of those who want
 * the same keys at once, one gets them all. Then the store is asked for all of them in
 * one step. Whoever finds a key claimed, held or waited for is told that it is busy, and
 * gives back what it claimed.
 */
final class MultiKeyAttempt {

	private final LockEngine engine;

	private final Services services;

	private final List<String> keys;

	private final Terms terms;

	private final long since;

	private final @Nullable LockScope outer;

	private final List<Claim> claims = new CopyOnWriteArrayList<>();

	private final CompletableFuture<List<DefaultLease>> result = new CompletableFuture<>();

	private MultiKeyAttempt(LockEngine engine, List<String> keys, Terms terms, long since, @Nullable LockScope outer) {
		this.engine = engine;
		this.services = engine.services();
		this.keys = keys;
		this.terms = terms;
		this.since = since;
		this.outer = outer;
	}

	/**
	 * Try all keys.
	 * @param since the instant from which the wait of the acquirer counts
	 * @param outer the scope in which the acquirer was called
	 */
	static CompletableFuture<List<DefaultLease>> start(LockEngine engine, List<String> keys, Terms terms, long since,
			@Nullable LockScope outer) {
		MultiKeyAttempt attempt = new MultiKeyAttempt(engine, keys, terms, since, outer);
		if (attempt.claimAll()) {
			attempt.ask();
		}
		return attempt.result;
	}

	private boolean claimAll() {
		for (String key : this.keys) {
			Waiter waiter = Waiter.calling(Waiter.Kind.CLAIM, key, this.terms, this.since, this::decided);
			Claim claim;
			try {
				claim = this.engine.claim(key, waiter);
			}
			catch (IllegalStateException ex) {
				cancelClaims(null);
				this.result.completeExceptionally(ex);
				return false;
			}
			if (claim == null) {
				cancelClaims(null);
				RuntimeException failure = waiter.failure();
				this.result.completeExceptionally((failure != null) ? failure : busy(waiter));
				return false;
			}
			this.claims.add(claim);
		}
		return true;
	}

	private void ask() {
		Completions.on(this.services.store().acquireAll(this.claims.stream().map(Claim::command).toList()),
				this::answered);
		// Without effect if it was completed with what was acquired.
		Completions.on(this.result, (leases, failure) -> this.claims.forEach(Claim::giveUp));
	}

	private void answered(@Nullable AcquireAllReply reply, @Nullable Throwable failure) {
		String busyKey = (reply != null) ? reply.busyKey() : null;
		if (reply == null) {
			this.claims.forEach((claim) -> claim.answered(null, failure));
			fail();
		}
		else if (busyKey == null) {
			for (int i = 0; i < this.claims.size(); i++) {
				this.claims.get(i).answered(reply.acquired().get(i), null);
			}
			deliver();
		}
		else {
			Claim busy = this.claims.stream().filter((claim) -> claim.key().equals(busyKey)).findFirst().orElseThrow();
			busy.answered(reply.busy(), null);
			this.claims.subList(0, reply.acquired().size()).forEach(this::release);
			cancelClaims(busyKey);
			this.result.completeExceptionally(busy(busy.waiter()));
		}
	}

	private void deliver() {
		List<DefaultLease> leases = new ArrayList<>(this.claims.size());
		for (Claim claim : this.claims) {
			DefaultLease lease = claim.waiter().lease();
			if (lease != null) {
				leases.add(lease);
			}
		}
		if (leases.size() < this.claims.size()) {
			DefaultLease.releaseAllUnused(leases);
			fail();
		}
		else if (!this.result.complete(leases)) {
			DefaultLease.releaseAllUnused(leases);
		}
	}

	/**
	 * Fail if the registry is shut down before the store answers.
	 */
	private void decided() {
		this.claims.stream()
			.map((claim) -> claim.waiter().failure())
			.filter((failure) -> failure instanceof IllegalStateException)
			.findFirst()
			.ifPresent(this.result::completeExceptionally);
	}

	private void fail() {
		RuntimeException failure = null;
		for (Claim claim : this.claims) {
			failure = (failure != null) ? failure : claim.waiter().failure();
		}
		this.result.completeExceptionally((failure != null) ? failure : new IllegalStateException("No lease"));
	}

	private RuntimeException busy(Waiter waiter) {
		return waiter.notAcquired(this.services.instance(), this.services.now(), this.outer);
	}

	/**
	 * Release a key that was taken, until the store confirms it.
	 */
	private void release(Claim claim) {
		Acquire command = claim.command();
		this.services.store().orphans().release(command.key(), command.ownerId(), command.ttl(), false);
	}

	private void cancelClaims(@Nullable String answered) {
		this.claims.stream().filter((claim) -> !claim.key().equals(answered)).forEach(Claim::cancel);
	}

}
