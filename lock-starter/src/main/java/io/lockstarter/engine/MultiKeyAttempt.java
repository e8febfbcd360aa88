// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

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

	private final Acquisition whole;

	private final List<Claim> claims = new ArrayList<>();

	private final CompletableFuture<List<DefaultLease>> result = new CompletableFuture<>();

	private MultiKeyAttempt(Acquisition whole) {
		this.whole = whole;
	}

	/**
	 * Try all keys.
	 * @param whole whose they are to be
	 */
	static CompletableFuture<List<DefaultLease>> start(Acquisition whole) {
		MultiKeyAttempt attempt = new MultiKeyAttempt(whole);
		if (attempt.claimAll()) {
			attempt.ask();
		}
		return attempt.result;
	}

	private boolean claimAll() {
		Terms terms = this.whole.terms.waiting(0);
		for (String key : this.whole.keys) {
			Waiter waiter = Waiter.calling(Waiter.Kind.CLAIM, key, terms, this.whole.since, (decided) -> {
			});
			try {
				Claim claim = this.whole.engine.claim(key, waiter);
				if (claim == null) {
					RuntimeException failure = waiter.failure();
					refused((failure != null) ? failure : busy(waiter));
					return false;
				}
				this.claims.add(claim);
			}
			catch (RuntimeException | Error ex) {
				refused(ex);
				return false;
			}
		}
		return true;
	}

	private void refused(Throwable failure) {
		try {
			cancelClaims(null);
		}
		finally {
			this.result.completeExceptionally(failure);
		}
	}

	private void ask() {
		try {
			Completions.on(this.whole.services.store().acquireAll(this.claims.stream().map(Claim::command).toList()),
					this::answered);
		}
		catch (RuntimeException | Error ex) {
			answered(null, ex);
		}
		// Without effect if it was completed with what was acquired.
		Completions.on(this.result, (leases, failure) -> Failures.forEach(this.claims, Claim::giveUp));
	}

	/**
	 * Act on the answer. Whatever goes wrong with it, no claim stays without one.
	 */
	private void answered(@Nullable AcquireAllReply reply, @Nullable Throwable failure) {
		try {
			act(reply, failure);
		}
		catch (RuntimeException | Error ex) {
			Failures failures = new Failures();
			failures.add(ex);
			failures.collect(this.claims, (claim) -> claim.answered(null, ex));
			if (this.result.completeExceptionally(ex)) {
				DefaultLease.releaseAllUnused(leases(), failures);
			}
			failures.throwFirst();
		}
	}

	private void act(@Nullable AcquireAllReply reply, @Nullable Throwable failure) {
		String busyKey = (reply != null) ? reply.busyKey() : null;
		if (reply == null) {
			Failures.forEach(this.claims, (claim) -> claim.answered(null, failure));
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
			Failures.forEach(this.claims.subList(0, reply.acquired().size()), this::release);
			cancelClaims(busyKey);
			this.result.completeExceptionally(busy(busy.waiter()));
		}
	}

	private void deliver() {
		List<DefaultLease> leases = leases();
		if (leases.size() < this.claims.size()) {
			DefaultLease.releaseAllUnused(leases);
			fail();
		}
		else if (!this.result.complete(leases)) {
			DefaultLease.releaseAllUnused(leases);
		}
	}

	private List<DefaultLease> leases() {
		return this.claims.stream().map((claim) -> claim.waiter().lease()).filter(Objects::nonNull).toList();
	}

	private void fail() {
		RuntimeException failure = null;
		for (Claim claim : this.claims) {
			failure = (failure != null) ? failure : claim.waiter().failure();
		}
		this.result.completeExceptionally((failure != null) ? failure : new IllegalStateException("No lease"));
	}

	private RuntimeException busy(Waiter waiter) {
		return waiter.notAcquired(this.whole.services.instance(), this.whole.services.now(), this.whole.outer);
	}

	/**
	 * Release a key that was taken, until the store confirms it.
	 */
	private void release(Claim claim) {
		Acquire command = claim.command();
		this.whole.services.store().orphans().release(command.key(), command.ownerId(), command.ttl(), false);
	}

	private void cancelClaims(@Nullable String answered) {
		Failures.forEach(this.claims.stream().filter((claim) -> !claim.key().equals(answered)).toList(), Claim::cancel);
	}

}
