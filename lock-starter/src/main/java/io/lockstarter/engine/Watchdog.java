// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

import io.lockstarter.LockStoreException;
import io.lockstarter.store.LockStore;
import io.lockstarter.store.LockStore.Renew;
import io.lockstarter.platform.Ticker;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of living holders at a third of their ttl, many in one command. A
 * command that is not full takes along what is due next, so that leases which were
 * acquired at scattered times gather in few commands. Unconfirmed renewals are repeated
 * every sixth of the ttl, up to the deadline.
 */
final class Watchdog {

	private static final Log logger = LogFactory.getLog(Watchdog.class);

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

	/**
	 * When to renew what was granted for a short time: soon, but its holder is to run
	 * first, which would share its core with that.
	 */
	private static final long CONFIRM_AFTER = TimeUnit.MILLISECONDS.toNanos(1);

	private final Collection<LocalQueue> queues;

	private final StoreClient store;

	private final Timing timing;

	private final Sweeper sweeper;

	// in the order in which they are due
	private final Queue<Renewal> unconfirmed = new ConcurrentLinkedQueue<>();

	private final Sweeper confirmations;

	// so that renewals and extensions of a lease are sent in the order in which they aim
	private final ReentrantLock sending = new ReentrantLock();

	// when commands for a part of the store were last sent over different connections
	private final Map<Integer, Long> reorderedAt = new ConcurrentHashMap<>();

	Watchdog(Collection<LocalQueue> queues, StoreClient store, Timing timing) {
		this.queues = queues;
		this.store = store;
		this.timing = timing;
		this.sweeper = new Sweeper(timing.watchdog(), (now) -> renew(now, false), SWEEP_PAUSE);
		this.confirmations = new Sweeper(timing.watchdog(), this::confirm, CONFIRM_AFTER);
	}

	void renewInTime(DefaultLease lease) {
		if (lease.isRenewed(this.timing.now())) {
			this.sweeper.noLaterThan(lease.ownership().renewAt());
		}
	}

	/**
	 * Renew soon what the store granted for a short time, if a lease is out of it then.
	 */
	void confirm(LocalQueue queue, Ownership ownership) {
		long due = this.timing.now() + CONFIRM_AFTER;
		this.unconfirmed.add(new Renewal(queue, ownership, due));
		this.confirmations.noLaterThan(due);
	}

	private long confirm(long now) {
		List<Renewal> due = new ArrayList<>();
		Renewal next = this.unconfirmed.peek();
		while (next != null && next.renewAt <= now) {
			this.unconfirmed.remove();
			if (next.isCurrent() && next.ownership.isProvisional()) {
				due.add(next);
			}
			next = this.unconfirmed.peek();
		}
		byPartition(due).values().forEach((together) -> sendAll(together, now));
		due.forEach((renewal) -> this.sweeper.noLaterThan(renewal.ownership.renewAt()));
		return (next != null) ? next.renewAt : Ticker.NEVER;
	}

	/**
	 * Note that commands for a part of the store go over another connection. Those of the
	 * old one may have been sent again, and may yet be executed out of their order.
	 */
	void reordered(int partition, Duration ago) {
		this.reorderedAt.merge(partition, this.timing.now() - ago.toNanos(), Math::max);
	}

	/**
	 * Renew all leases at once: what the store confirmed before may not count any more.
	 */
	void renewAll() {
		this.sweeper.noLaterThan(renew(this.timing.now(), true));
	}

	private long renew(long now, boolean all) {
		List<Renewal> due = new ArrayList<>();
		List<Renewal> early = new ArrayList<>();
		for (LocalQueue queue : this.queues) {
			forEachRenewed(queue, now, (ownership) -> {
				long renewAt = ownership.renewAt();
				if (all || renewAt <= now) {
					due.add(new Renewal(queue, ownership, renewAt));
				}
				else if (ownership.renewFrom() <= now) {
					early.add(new Renewal(queue, ownership, renewAt));
				}
			});
		}
		early.sort(Comparator.comparingLong(Renewal::renewAt));
		Map<Integer, List<Renewal>> earlyByPartition = byPartition(early);
		byPartition(due).forEach((partition, together) -> {
			int room = Math.floorMod(-together.size(), LockStore.MAX_BATCH);
			List<Renewal> chosen = new ArrayList<>(together);
			earlyByPartition.getOrDefault(partition, List.of()).stream().limit(room).forEach(chosen::add);
			sendAll(chosen, now);
		});
		return nextDue(now);
	}

	private void sendAll(List<Renewal> renewals, long now) {
		renewals.forEach((renewal) -> renewal.ownership.renewing(now));
		for (int from = 0; from < renewals.size(); from += LockStore.MAX_BATCH) {
			send(renewals.subList(from, Math.min(renewals.size(), from + LockStore.MAX_BATCH)));
		}
	}

	private Map<Integer, List<Renewal>> byPartition(List<Renewal> renewals) {
		return renewals.stream().collect(Collectors.groupingBy((renewal) -> this.store.partition(renewal.queue.key())));
	}

	private long nextDue(long now) {
		long[] next = { Ticker.NEVER };
		for (LocalQueue queue : this.queues) {
			forEachRenewed(queue, now, (ownership) -> next[0] = Math.min(next[0], ownership.renewAt()));
		}
		return next[0];
	}

	private static void forEachRenewed(LocalQueue queue, long now, Consumer<Ownership> action) {
		Ownership last = null;
		for (DefaultLease lease : queue.leases()) {
			if (lease.ownership() != last && lease.isRenewed(now)) {
				last = lease.ownership();
				action.accept(last);
			}
		}
	}

	/**
	 * Send renewals, except where another ownership has followed since the sweep: its
	 * owner id may be the same, and it may have been extended.
	 */
	private void send(List<Renewal> batch) {
		List<Renewal> current = new ArrayList<>();
		Sent sent = send((now) -> {
			batch.stream().filter(Renewal::isCurrent).forEach(current::add);
			return current.stream().map((renewal) -> renewal.command(now)).toList();
		});
		Completions.on(sent.answer, (held, failure) -> answered(current, sent, held, failure));
	}

	private Sent send(LongFunction<List<Renew>> commandsAt) {
		this.sending.lock();
		try {
			long now = this.timing.now();
			List<Renew> commands = commandsAt.apply(now);
			return new Sent(commands, now,
					commands.isEmpty() ? CompletableFuture.completedFuture(List.of()) : this.store.renew(commands));
		}
		finally {
			this.sending.unlock();
		}
	}

	private void answered(List<Renewal> batch, Sent sent, @Nullable List<@Nullable Boolean> held,
			@Nullable Throwable failure) {
		if (held == null) {
			logger.debug("The renewal of " + batch.size() + " locks failed and is repeated up to their deadlines",
					failure);
		}
		boolean doubtful = failure != null && mayBeExecuted(batch.get(0).queue.key(), failure);
		for (int i = 0; i < batch.size(); i++) {
			Renewal renewal = batch.get(i);
			Boolean outcome = (held != null) ? held.get(i) : null;
			if (outcome != null) {
				doubtIfReordered(renewal.queue.key(), renewal.ownership, sent.at, sent.ttl(i));
				renewal.queue.renewed(renewal.ownership, sent.at, sent.ttl(i), outcome);
				renewal.queue.leases().forEach(this::renewInTime);
			}
			else if (doubtful || held != null) {
				renewal.ownership.unconfirmed(sent.ttl(i));
			}
		}
	}

	/**
	 * Renew a lease now, for a time of its holder's choice.
	 * @return whether it is held
	 */
	CompletableFuture<Boolean> extend(DefaultLease lease, Duration ttl) {
		Ownership ownership = lease.ownership();
		boolean renewed = lease.isRenewed(this.timing.now());
		Duration least = (renewed && ttl.compareTo(ownership.ttl()) < 0) ? ownership.ttl() : ttl;
		Sent sent = send((now) -> List
			.of(new Renew(lease.key(), ownership.ownerId(), ownership.aim(now, least), ownership.isShared())));
		return sent.answer.handle((held, failure) -> extended(lease, least, sent, held, failure));
	}

	private boolean extended(DefaultLease lease, Duration ttl, Sent sent, @Nullable List<@Nullable Boolean> held,
			@Nullable Throwable failure) {
		Boolean outcome = (held != null) ? held.get(0) : null;
		if (outcome == null) {
			if (failure == null || mayBeExecuted(lease.key(), failure)) {
				lease.ownership().unconfirmed(sent.ttl(0));
			}
			throw this.store.failure(lease.key(), (failure != null) ? failure : new IllegalStateException("no answer"));
		}
		doubtIfReordered(lease.key(), lease.ownership(), sent.at, sent.ttl(0));
		long counted = lease.renewed(sent.at, sent.ttl(0), outcome);
		if (lease.isActive()) {
			renewInTime(lease);
		}
		if (lease.isActive() && counted < ttl.toNanos()) {
			throw new LockStoreException("""
					Lock '%s': extended, but a renewal before, whose outcome is unknown, may yet set a shorter ttl: \
					try again later""".formatted(lease.key()), true, null);
		}
		return lease.isActive();
	}

	/**
	 * Doubt what is longer than a command before if the connection was replaced lately:
	 * one that was sent over both may be executed once more. There is none for an owner
	 * id that was not renewed before.
	 */
	private void doubtIfReordered(String key, Ownership ownership, long sentAt, Duration confirmed) {
		Duration shortest = ownership.shortestAsked();
		if (confirmed.compareTo(shortest) <= 0) {
			return;
		}
		Long reordered = this.reorderedAt.get(this.store.partition(key));
		if (reordered != null && ownership.renewedSince() <= reordered
				&& sentAt < Ticker.plus(reordered, Ownership.STRAGGLING)) {
			ownership.unconfirmed(shortest);
		}
	}

	private boolean mayBeExecuted(String key, Throwable failure) {
		return this.store.failure(key, failure).isOutcomeUnknown();
	}

	/**
	 * A lease that may be renewed.
	 *
	 * @param renewAt when it was to be renewed at the time of the sweep: answers move the
	 * time in the ownership while candidates are sorted
	 */
	private record Renewal(LocalQueue queue, Ownership ownership, long renewAt) {

		boolean isCurrent() {
			return this.queue.leases().stream().anyMatch((lease) -> lease.ownership() == this.ownership);
		}

		Renew command(long now) {
			return new Renew(this.queue.key(), this.ownership.ownerId(), this.ownership.aim(now, this.ownership.ttl()),
					this.ownership.isShared());
		}

	}

	/**
	 * What was sent, and when.
	 */
	private record Sent(List<Renew> commands, long at, CompletableFuture<List<@Nullable Boolean>> answer) {

		Duration ttl(int index) {
			return this.commands.get(index).ttl();
		}

	}

}
