// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.quorum;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * Lets commands of a key take effect in the order in which they were issued, although an
 * acquisition takes several steps. Thread-safe.
 */
final class KeyOrder {

	// completes when the next command of the key may be sent
	private final ConcurrentMap<String, CompletableFuture<Void>> last = new ConcurrentHashMap<>();

	/**
	 * Send a command that is followed by others as soon as it was sent.
	 */
	<T> CompletableFuture<T> send(Collection<String> keys, Supplier<CompletableFuture<T>> command) {
		return send(keys, command, false);
	}

	/**
	 * Send a command that is followed by others when it is through.
	 */
	<T> CompletableFuture<T> sendAlone(String key, Supplier<CompletableFuture<T>> command) {
		return send(List.of(key), command, true);
	}

	private <T> CompletableFuture<T> send(Collection<String> keys, Supplier<CompletableFuture<T>> command,
			boolean alone) {
		Set<String> each = new LinkedHashSet<>(keys);
		CompletableFuture<Void> next = new CompletableFuture<>();
		var unused = next.thenRun(() -> each.forEach((key) -> this.last.remove(key, next)));
		CompletableFuture<?>[] before;
		try {
			before = enter(each, next);
		}
		catch (Error ex) {
			next.complete(null);
			throw ex;
		}
		if (before.length == 0) {
			return start(command, alone, next);
		}
		CompletableFuture<T> result = new CompletableFuture<>();
		var unusedStep = CompletableFuture.allOf(before).thenRun(() -> {
			if (result.isDone()) {
				next.complete(null);
				return;
			}
			CompletableFuture<T> started = start(command, alone, next);
			pass(started, result);
			var unusedWithdrawal = result.whenComplete((value, failure) -> started.cancel(false));
		});
		return result;
	}

	/**
	 * Stand behind the last command of each key. Of two commands with several keys one
	 * comes first for all of them, as otherwise each might wait for the other for ever.
	 * @return what is to be waited for
	 */
	private synchronized CompletableFuture<?>[] enter(Set<String> keys, CompletableFuture<Void> next) {
		return keys.stream()
			.map((key) -> this.last.put(key, next))
			.filter(Objects::nonNull)
			.filter((previous) -> !previous.isDone())
			.toArray(CompletableFuture<?>[]::new);
	}

	/**
	 * Send a command. Whatever goes wrong with it, those that follow have their turn.
	 */
	private static <T> CompletableFuture<T> start(Supplier<CompletableFuture<T>> command, boolean alone,
			CompletableFuture<Void> next) {
		CompletableFuture<T> started;
		try {
			started = command.get();
		}
		catch (RuntimeException | Error ex) {
			// The JVM may have no thread, or no memory, for a moment.
			started = CompletableFuture.failedFuture(ex);
		}
		if (alone) {
			var unused = started.whenComplete((value, failure) -> next.complete(null));
		}
		else {
			next.complete(null);
		}
		return started;
	}

	/**
	 * Complete a future like another one.
	 */
	static <T> void pass(CompletableFuture<T> answer, CompletableFuture<T> result) {
		var unused = answer.whenComplete((value, failure) -> {
			if (failure != null) {
				result.completeExceptionally(failure);
			}
			else {
				result.complete(value);
			}
		});
	}

	int size() {
		return this.last.size();
	}

}
