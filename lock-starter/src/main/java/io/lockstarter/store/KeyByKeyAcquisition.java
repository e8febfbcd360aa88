// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireAllReply;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Release;
import org.jspecify.annotations.Nullable;

/**
 * Takes keys one after the other, for a store that cannot take several in one step. What
 * was taken before a key that is busy is told, and before a key that fails is unknown:
 * whoever asked releases it.
 */
final class KeyByKeyAcquisition {

	private final LockStore store;

	private final List<Acquire> commands;

	private final List<Acquired> acquired = new ArrayList<>();

	private final AtomicInteger turns = new AtomicInteger();

	private final CompletableFuture<AcquireAllReply> result = new CompletableFuture<>();

	private KeyByKeyAcquisition(LockStore store, List<Acquire> commands) {
		this.store = store;
		this.commands = commands;
	}

	static CompletableFuture<AcquireAllReply> start(LockStore store, List<Acquire> commands) {
		KeyByKeyAcquisition acquisition = new KeyByKeyAcquisition(store, commands);
		acquisition.next();
		return acquisition.result;
	}

	/**
	 * Ask for the next key. A store may answer at once, key after key: so whoever asks
	 * goes on with that, and whoever answers meanwhile only leaves word.
	 */
	private void next() {
		if (this.turns.getAndIncrement() == 0) {
			do {
				ask();
			}
			while (this.turns.decrementAndGet() > 0);
		}
	}

	private void ask() {
		if (this.acquired.size() == this.commands.size()) {
			this.result.complete(new AcquireAllReply(List.copyOf(this.acquired), null, null));
			return;
		}
		Acquire command = this.commands.get(this.acquired.size());
		try {
			var unused = this.store.acquire(command)
				.whenComplete((reply, failure) -> answered(command, reply, failure));
		}
		catch (RuntimeException | Error ex) {
			answered(command, null, ex);
		}
	}

	private void answered(Acquire command, @Nullable AcquireReply reply, @Nullable Throwable failure) {
		if (reply instanceof Acquired granted) {
			if (this.result.isDone()) {
				// Whoever gave up releases it, too, but may have been too early.
				var unused = this.store
					.release(new Release(command.key(), command.instance(), command.ownerId(), false));
				return;
			}
			this.acquired.add(granted);
			next();
		}
		else if (reply instanceof Busy busy) {
			this.result.complete(new AcquireAllReply(List.copyOf(this.acquired), command.key(), busy));
		}
		else if (failure != null) {
			this.result.completeExceptionally(this.acquired.isEmpty() ? failure : withOutcomesBefore(failure));
		}
	}

	/**
	 * Return the failure with an unknown outcome: the command that failed may have had no
	 * effect, but what was acquired before it has to be released.
	 */
	private static Throwable withOutcomesBefore(Throwable failure) {
		Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
		return (cause instanceof LockStoreException known && !known.isOutcomeUnknown())
				? new LockStoreException(String.valueOf(known.getMessage()), true, known.isTransient(),
						known.isRefusal(), known)
					.withKey(known.key())
				: failure;
	}

}
