package io.lockstarter.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of living holders at a third of their ttl, many in one command. A
 * command that is not full takes along what is due next, so that leases which were
 * acquired at scattered times gather in few commands. Unconfirmed renewals are repeated
 * every sixth of the ttl, up to the deadline.
 */
final class Watchdog {

	private static final Logger logger = System.getLogger(Watchdog.class.getName());

	private static final long SWEEP_PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

	private final Collection<LocalQueue> queues;

	private final StoreClient store;

	private final Timing timing;

	private final Sweeper sweeper;

	/**
	 * Create a watchdog.
	 * @param queues a live view of all queues
	 */
	Watchdog(Collection<LocalQueue> queues, StoreClient store, Timing timing) {
		this.queues = queues;
		this.store = store;
		this.timing = timing;
		this.sweeper = new Sweeper(timing.ticker(), timing.watchdog(), (now) -> renew(now, false), SWEEP_PAUSE);
	}

	void renewInTime(Hold hold) {
		DefaultLease lease = hold.lease();
		if (lease != null && lease.isRenewed(this.timing.now())) {
			this.sweeper.noLaterThan(hold.renewAt());
		}
	}

	/**
	 * Renew all leases at once: what the store confirmed before may not count any more.
	 */
	void renewAll() {
		this.sweeper.noLaterThan(renew(this.timing.now(), true));
	}

	private long renew(long now, boolean all) {
		List<Renewal> due = due(now, all ? Ticker.NEVER : now);
		int room = Math.floorMod(-due.size(), LockStore.MAX_BATCH);
		if (room > 0 && !all) {
			fillUp(due, room, now);
		}
		due.forEach((renewal) -> renewal.hold.renewing(now));
		for (int from = 0; from < due.size(); from += LockStore.MAX_BATCH) {
			send(due.subList(from, Math.min(due.size(), from + LockStore.MAX_BATCH)));
		}
		return nextDue(now);
	}

	private List<Renewal> due(long now, long until) {
		List<Renewal> due = new ArrayList<>();
		for (LocalQueue queue : this.queues) {
			Hold hold = renewed(queue, now);
			if (hold != null && hold.renewAt() <= until) {
				due.add(new Renewal(queue, hold, hold.renewAt()));
			}
		}
		return due;
	}

	private void fillUp(List<Renewal> due, int room, long now) {
		List<Renewal> early = new ArrayList<>();
		for (LocalQueue queue : this.queues) {
			Hold hold = renewed(queue, now);
			if (hold != null && hold.renewAt() > now && hold.renewFrom() <= now) {
				early.add(new Renewal(queue, hold, hold.renewAt()));
			}
		}
		early.stream().sorted(Comparator.comparingLong(Renewal::renewAt)).limit(room).forEach(due::add);
	}

	private long nextDue(long now) {
		long next = Ticker.NEVER;
		for (LocalQueue queue : this.queues) {
			Hold hold = renewed(queue, now);
			next = (hold != null) ? Math.min(next, hold.renewAt()) : next;
		}
		return next;
	}

	/**
	 * Return the hold of a key whose lease is renewed at present.
	 */
	private static @Nullable Hold renewed(LocalQueue queue, long now) {
		Hold hold = queue.hold();
		DefaultLease lease = (hold != null) ? hold.lease() : null;
		return (lease != null && lease.isRenewed(now)) ? hold : null;
	}

	private void send(List<Renewal> batch) {
		List<Renew> commands = batch.stream()
			.map((renewal) -> new Renew(renewal.queue.key(), renewal.hold.ownerId(), renewal.hold.ttl()))
			.toList();
		long sentAt = this.timing.now();
		Completions.on(this.store.renew(commands), (held, failure) -> answered(batch, sentAt, held, failure));
	}

	private void answered(List<Renewal> batch, long sentAt, @Nullable List<Boolean> held, @Nullable Throwable failure) {
		if (held == null) {
			logger.log(Level.DEBUG, "Renewing {0} locks failed and is repeated up to their deadlines: {1}",
					batch.size(), failure);
			return;
		}
		for (int i = 0; i < batch.size(); i++) {
			Renewal renewal = batch.get(i);
			renewal.queue.renewed(renewal.hold, sentAt, held.get(i));
			renewInTime(renewal.hold);
		}
	}

	/**
	 * A lease that may be renewed.
	 *
	 * @param renewAt when it was to be renewed at the time of the sweep: answers move the
	 * time in the hold while candidates are sorted
	 */
	private record Renewal(LocalQueue queue, Hold hold, long renewAt) {

	}

}
