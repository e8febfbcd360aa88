// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.LockInspector.HeldLock;
import io.lockstarter.LockInspector.StoreStatus;
import io.lockstarter.LockInspector.StoredLockDetails;
import io.lockstarter.LockInspector.StoredLocks;
import io.lockstarter.LockInspector.WaitingCaller;
import io.lockstarter.text.PrintableText;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Shows what one engine and its store have. Looks at one queue after the other, so that a
 * snapshot costs those who lock next to nothing, and is not that of one instant.
 */
record Inspection(LockEngine engine, Services services, StoreHealth health) {

	Inspection(LockEngine engine) {
		this(engine, engine.services(), new StoreHealth(engine.services().store(), engine.services().timing()));
	}

	private static final Log logger = LogFactory.getLog(Inspection.class);

	private static final int MOST_IN_PAGE = 1000;

	private static final int MOST_ATTEMPTS = 3;

	List<HeldLock> held() {
		Clock clock = clock();
		return this.engine.leases()
			.stream()
			.filter(DefaultLease::isValid)
			.map((lease) -> new HeldLock(lease.key(), lease.name(), lease.ownerId(), lease.fencingToken(),
					clock.at(lease.since()), clock.at(lease.ownership().deadline()), lease.thread()))
			.sorted(Comparator.comparing(HeldLock::key))
			.toList();
	}

	List<WaitingCaller> waiting() {
		Clock clock = clock();
		List<WaitingCaller> waiting = new ArrayList<>();
		for (LocalQueue queue : this.engine.queues()) {
			queue.forEachWaiter((waiter) -> waiting
				.add(new WaitingCaller(waiter.key(), waiter.terms().name(), clock.at(waiter.since()),
						(waiter.waitUntil() != Ticker.NEVER) ? clock.at(waiter.waitUntil()) : null, waiter.thread())));
		}
		// stable, so callers of a key stay in their order
		waiting.sort(Comparator.comparing(WaitingCaller::key));
		return waiting;
	}

	CompletableFuture<StoredLockDetails> inspect(String key) {
		return translated(key, this.services.store().inspect(key));
	}

	CompletableFuture<StoredLocks> scan(String prefix, @Nullable String cursor, int limit) {
		if (limit < 1 || limit > MOST_IN_PAGE) {
			throw new IllegalArgumentException(
					"limit must be between 1 and %d, but is %d".formatted(MOST_IN_PAGE, limit));
		}
		return translated("all", this.services.store().scan(prefix, cursor, limit))
			.thenApply(Inspection::withoutHealthChecks);
	}

	CompletableFuture<Boolean> forceRelease(String key, @Nullable String ownerId) {
		return (ownerId != null) ? releaseFrom(key, ownerId) : releaseFromHolder(key, MOST_ATTEMPTS);
	}

	/**
	 * Return whether the store answers, and ask it if that is not known.
	 */
	CompletableFuture<StoreStatus> checkStore() {
		return this.health.check(this.services::nextOwnerId).handle((done, failure) -> status());
	}

	static StoreStatus stopped(RegistrySettings settings) {
		return new StoreStatus(StoreStatus.State.STOPPED, null, null, null, tolerance(settings.ttl()), null);
	}

	private static StoredLocks withoutHealthChecks(StoredLocks page) {
		return new StoredLocks(
				page.locks().stream().filter((lock) -> !lock.key().startsWith(StoreHealth.KEYS)).toList(), page.next());
	}

	/**
	 * Release from whoever holds the key, also if the holder changes in between.
	 */
	private CompletableFuture<Boolean> releaseFromHolder(String key, int attempts) {
		return inspect(key).thenCompose((details) -> {
			if (!details.lock().isHeld()) {
				return CompletableFuture.completedFuture(false);
			}
			CompletableFuture<Boolean> released = releaseFromAll(key, details.lock().ownerIds());
			return (attempts == 1) ? released : released.thenCompose(
					(held) -> held ? CompletableFuture.completedFuture(true) : releaseFromHolder(key, attempts - 1));
		});
	}

	/**
	 * Release from each of several, or from the only one.
	 */
	private CompletableFuture<Boolean> releaseFromAll(String key, List<String> ownerIds) {
		CompletableFuture<Boolean> any = CompletableFuture.completedFuture(false);
		for (String ownerId : ownerIds) {
			any = any.thenCombine(releaseFrom(key, ownerId), (before, held) -> before || held);
		}
		return any;
	}

	private CompletableFuture<Boolean> releaseFrom(String key, String ownerId) {
		return translated(key, this.services.store().forceRelease(key, ownerId)).thenApply((held) -> {
			if (held) {
				logger.warn("Lock '%s' was released by force from '%s'".formatted(key, PrintableText.of(ownerId)));
				// its signal may be lost, or not be received
				this.engine.forced(key, ownerId);
			}
			return held;
		});
	}

	private StoreStatus status() {
		Clock clock = clock();
		Duration tolerance = tolerance(shortestTtl());
		long answer = this.health.lastAnswer();
		Instant lastAnswer = (answer != Ticker.NEVER) ? clock.at(answer) : null;
		StoreHealth.Trouble trouble = this.health.trouble();
		if (trouble == null) {
			return new StoreStatus(StoreStatus.State.ANSWERING, lastAnswer, null, null, tolerance,
					this.engine.listeningState());
		}
		return new StoreStatus(state(trouble, clock.nanos, tolerance), lastAnswer, clock.at(trouble.since()),
				trouble.failure(), tolerance, this.engine.listeningState());
	}

	private StoreStatus.State state(StoreHealth.Trouble trouble, long now, Duration tolerance) {
		if (trouble.refused()) {
			return StoreStatus.State.REFUSING;
		}
		boolean overdue = now - trouble.since() > tolerance.toNanos();
		return (!this.health.isProved() || overdue || this.health.hasExpired() || isAnyOverdue(now))
				? StoreStatus.State.UNAVAILABLE : StoreStatus.State.SILENT;
	}

	/**
	 * Return whether a lease is past its deadline that is not reported lost yet, as after
	 * a pause of this process.
	 */
	private boolean isAnyOverdue(long now) {
		return this.engine.leases()
			.stream()
			.anyMatch((lease) -> now >= lease.ownership().deadline() && lease.isRenewed());
	}

	/**
	 * Return how long the store may be silent before leases are lost: each was renewed a
	 * third of its ttl before that at the latest.
	 */
	private static Duration tolerance(Duration ttl) {
		return Duration.ofMillis(ttl.toMillis() * 2 / 3);
	}

	private Duration shortestTtl() {
		return this.engine.leases()
			.stream()
			.filter(DefaultLease::isRenewed)
			.map((lease) -> lease.ownership().ttl())
			.min(Comparator.naturalOrder())
			.orElse(this.services.settings().ttl());
	}

	private Clock clock() {
		return new Clock(this.services.now(), this.services.timing().platform().now());
	}

	private <T> CompletableFuture<T> translated(String key, CompletableFuture<T> answer) {
		return answer.exceptionallyCompose((failure) -> {
			Throwable cause = Completions.cause(failure);
			boolean misuse = cause instanceof UnsupportedOperationException
					|| cause instanceof IllegalArgumentException;
			return CompletableFuture.failedFuture(misuse ? cause : this.services.store().failure(key, cause));
		});
	}

	/**
	 * Tells the time of day of instants of the monotonic clock.
	 */
	private record Clock(long nanos, Instant time) {

		Instant at(long instant) {
			return this.time.plusNanos(instant - this.nanos).truncatedTo(ChronoUnit.MILLIS);
		}

	}

}
