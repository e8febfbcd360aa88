package io.lockstarter.engine;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.lockstarter.engine.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of living holders at a third of their ttl, many in one command. What
 * is due within the next twelfth of its ttl goes along, so that leases which were
 * acquired at scattered times gather in few commands. Unconfirmed renewals are repeated
 * every sixth of the ttl, up to the deadline.
 */
final class Watchdog {

	private static final Logger logger = System.getLogger(Watchdog.class.getName());

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
		this.sweeper = new Sweeper(timing.ticker(), timing.watchdog(), this::renewDue);
	}

	void renewInTime(Hold hold) {
		DefaultLease lease = hold.lease();
		if (lease != null && lease.isRenewed(this.timing.now())) {
			this.sweeper.noLaterThan(hold.renewAt());
		}
	}

	private long renewDue(long now) {
		long next = Ticker.NEVER;
		List<Renewal> due = new ArrayList<>();
		for (LocalQueue queue : this.queues) {
			Hold hold = queue.hold();
			DefaultLease lease = (hold != null) ? hold.lease() : null;
			if (hold == null || lease == null || !lease.isRenewed(now)) {
				continue;
			}
			if (hold.renewFrom() <= now) {
				hold.renewing(now);
				due.add(new Renewal(queue, hold));
			}
			next = Math.min(next, hold.renewAt());
		}
		for (int from = 0; from < due.size(); from += LockStore.MAX_BATCH) {
			send(due.subList(from, Math.min(due.size(), from + LockStore.MAX_BATCH)));
		}
		return next;
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

	private record Renewal(LocalQueue queue, Hold hold) {

	}

}
