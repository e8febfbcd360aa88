// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.lockstarter.text.DurationText;
import io.lockstarter.LockStoreException;
import io.lockstarter.text.PrintableText;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.platform.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether locks can be acquired, by acquiring one of its own in each part of the
 * store and giving it back. Most commands of others are no proof of that: a store that is
 * full renews and releases, and of several parts one may be gone. That a part granted a
 * lock is proof that it could.
 */
final class StoreHealth {

	/**
	 * What the keys of health checks begin with. Each instance has its own, so that none
	 * is busy.
	 */
	static final String KEYS = "lock-starter:health:";

	/**
	 * How long a health check waits: longer than a command usually may take.
	 */
	private static final Duration PATIENCE = Duration.ofSeconds(3);

	/**
	 * For how long the last answer counts, if no command failed since.
	 */
	private static final long FRESH = TimeUnit.SECONDS.toNanos(5);

	private final StoreClient store;

	private final Timing timing;

	private final AtomicReference<@Nullable CompletableFuture<@Nullable Object>> probe = new AtomicReference<>();

	// when the last probe was answered, by a part at least
	private volatile long answeredAt = Ticker.NEVER;

	// when the last probe was answered that succeeded
	private volatile long provedAt = Ticker.NEVER;

	// how many commands had failed before the last probe
	private volatile long failures;

	private volatile @Nullable Trouble trouble;

	StoreHealth(StoreClient store, Timing timing) {
		this.store = store;
		this.timing = timing;
	}

	/**
	 * Return when the store answered last, as far as known: when a command was sent that
	 * was answered; {@link Ticker#NEVER} if none was.
	 */
	long lastAnswer() {
		return later(this.answeredAt, this.store.lastAnswer());
	}

	/**
	 * Return why locks cannot be acquired, as far as the last check knows; {@code null}
	 * if they can.
	 */
	@Nullable Trouble trouble() {
		return this.trouble;
	}

	/**
	 * Return whether a lock could be acquired at least once, in each part.
	 */
	boolean isProved() {
		return lastProof() != Ticker.NEVER;
	}

	/**
	 * Return whether a lease expired since a lock could be acquired last. When the store
	 * fell silent says less: of several parts one may be, while commands to others are
	 * answered.
	 */
	boolean hasExpired() {
		long expiry = this.store.lastExpiry();
		long proof = lastProof();
		return expiry != Ticker.NEVER && (proof == Ticker.NEVER || expiry - proof >= 0);
	}

	private long lastProof() {
		return later(this.provedAt, this.store.grantedByAll());
	}

	private static long later(long one, long other) {
		return (one == Ticker.NEVER) ? other : (other == Ticker.NEVER) ? one : Math.max(one, other);
	}

	/**
	 * Find out whether locks can be acquired, if that is not known. One such question at
	 * a time is on its way. Completes, always normally, when it is answered, or when the
	 * store has not answered for so long that it counts as silent.
	 * @param ownerId makes the owner id that acquires
	 */
	CompletableFuture<?> check(Supplier<String> ownerId) {
		CompletableFuture<@Nullable Object> asked = this.probe.get();
		if (asked != null) {
			return asked;
		}
		long sentAt = this.timing.now();
		if (isKnown(sentAt)) {
			return CompletableFuture.completedFuture(null);
		}
		CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
		// first of all, as it fails if there are no threads
		Runnable patience = this.timing.deadlines().schedule(() -> {
			troubled(sentAt, false, this.store.isConnected() ? "no answer within " + DurationText.of(PATIENCE)
					: "the first connection to the store is still being made");
			answer.complete(null);
		}, PATIENCE.toNanos());
		CompletableFuture<?> other = this.probe.compareAndExchange(null, answer);
		if (other != null) {
			patience.run();
			return other;
		}
		this.failures = this.store.failures();
		Runnable done = () -> {
			patience.run();
			this.probe.set(null);
			answer.complete(null);
		};
		try {
			ask(sentAt, ownerId.get(), done);
		}
		catch (RuntimeException ex) {
			troubled(sentAt, false, PrintableText.of("the parts of the store cannot be told: " + ex));
			done.run();
		}
		return answer;
	}

	private boolean isKnown(long now) {
		long proved = this.provedAt;
		return this.trouble == null && this.failures == this.store.failures() && proved != Ticker.NEVER
				&& now - proved < FRESH;
	}

	/**
	 * Acquire and release, both at once, as commands of one key take effect in their
	 * order: a release that is answered also tells a store that refuses from one that is
	 * silent.
	 */
	private void ask(long sentAt, String ownerId, Runnable done) {
		List<CompletableFuture<?>> acquired = new ArrayList<>();
		List<CompletableFuture<?>> released = new ArrayList<>();
		Duration ttl = (PATIENCE.compareTo(this.store.maxTtl()) < 0) ? PATIENCE : this.store.maxTtl();
		List<String> asked = keys(KEYS + this.store.instance());
		for (String key : asked) {
			acquired.add(this.store.acquire(new Acquire(key, this.store.instance(), ownerId, ttl, false, 1, false)));
			released.add(this.store.release(key, ownerId));
		}
		CompletableFuture<?>[] all = Stream.concat(acquired.stream(), released.stream())
			.toArray(CompletableFuture<?>[]::new);
		Completions.on(CompletableFuture.allOf(all), (nothing, failure) -> {
			assess(sentAt, asked, acquired, released);
			done.run();
		});
	}

	private void assess(long sentAt, List<String> asked, List<CompletableFuture<?>> acquired,
			List<CompletableFuture<?>> released) {
		int failed = 0;
		int first = -1;
		boolean refused = false;
		for (int i = acquired.size() - 1; i >= 0; i--) {
			if (acquired.get(i).isCompletedExceptionally()) {
				failed++;
				first = i;
				refused |= !released.get(i).isCompletedExceptionally() || isRefusal(acquired.get(i));
			}
		}
		if (Stream.concat(acquired.stream(), released.stream()).anyMatch((each) -> !each.isCompletedExceptionally())) {
			this.answeredAt = this.timing.now();
		}
		if (failed == 0) {
			this.provedAt = this.timing.now();
			this.trouble = null;
			return;
		}
		String failure = this.store.describe(acquired.get(first)).replace(asked.get(first), "a lock");
		String parts = (asked.size() > 1) ? " (in %d of %d parts)".formatted(failed, asked.size()) : "";
		troubled(sentAt, refused, failure + parts);
	}

	private static boolean isRefusal(CompletableFuture<?> failed) {
		return Completions
			.cause(failed.handle((reply, failure) -> failure).join()) instanceof LockStoreException failure
				&& failure.isRefusal();
	}

	private void troubled(long sentAt, boolean refused, String failure) {
		Trouble before = this.trouble;
		long silent = this.store.silentSince();
		long since = (before != null) ? before.since : (silent != Ticker.NEVER) ? Math.min(silent, sentAt) : sentAt;
		this.trouble = new Trouble(since, refused, failure);
	}

	/**
	 * Find a key in each part of the store.
	 */
	private List<String> keys(String key) {
		int parts = this.store.partitions();
		if (parts == 1) {
			return List.of(key);
		}
		@Nullable String[] found = new @Nullable String[parts];
		int missing = parts;
		for (int i = 0; missing > 0; i++) {
			String candidate = key + ":" + i;
			int part = this.store.partition(candidate);
			if (found[part] == null) {
				found[part] = candidate;
				missing--;
			}
		}
		return Arrays.stream(found).map(String::valueOf).toList();
	}

	/**
	 * Why locks cannot be acquired.
	 *
	 * @param since since when
	 * @param refused whether the store answers that it grants none, or answers other
	 * commands
	 * @param failure what the store, or the connection to it, says
	 */
	record Trouble(long since, boolean refused, String failure) {
	}

}
