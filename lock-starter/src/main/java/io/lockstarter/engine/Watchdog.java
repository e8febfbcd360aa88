/*
 * Copyright 2026 the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.lockstarter.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.lockstarter.engine.LockStore.Renew;
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

	private final Collection<LocalQueue> queues;

	private final StoreClient store;

	private final Timing timing;

	private final Sweeper sweeper;

	Watchdog(Collection<LocalQueue> queues, StoreClient store, Timing timing) {
		this.queues = queues;
		this.store = store;
		this.timing = timing;
		this.sweeper = new Sweeper(timing.ticker(), timing.watchdog(), (now) -> renew(now, false), SWEEP_PAUSE);
	}

	void renewInTime(LocalQueue queue) {
		Ownership ownership = renewed(queue, this.timing.now());
		if (ownership != null) {
			this.sweeper.noLaterThan(ownership.renewAt());
		}
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
			Ownership ownership = renewed(queue, now);
			if (ownership != null) {
				long renewAt = ownership.renewAt();
				if (all || renewAt <= now) {
					due.add(new Renewal(queue, ownership, renewAt));
				}
				else if (ownership.renewFrom() <= now) {
					early.add(new Renewal(queue, ownership, renewAt));
				}
			}
		}
		int room = Math.floorMod(-due.size(), LockStore.MAX_BATCH);
		early.stream().sorted(Comparator.comparingLong(Renewal::renewAt)).limit(room).forEach(due::add);
		due.forEach((renewal) -> renewal.ownership.renewing(now));
		for (int from = 0; from < due.size(); from += LockStore.MAX_BATCH) {
			send(due.subList(from, Math.min(due.size(), from + LockStore.MAX_BATCH)));
		}
		return nextDue(now);
	}

	private long nextDue(long now) {
		long next = Ticker.NEVER;
		for (LocalQueue queue : this.queues) {
			Ownership ownership = renewed(queue, now);
			next = (ownership != null) ? Math.min(next, ownership.renewAt()) : next;
		}
		return next;
	}

	private static @Nullable Ownership renewed(LocalQueue queue, long now) {
		DefaultLease lease = queue.lease();
		return (lease != null && lease.isRenewed(now)) ? lease.ownership() : null;
	}

	private void send(List<Renewal> batch) {
		List<Renew> commands = batch.stream()
			.map((renewal) -> new Renew(renewal.queue.key(), renewal.ownership.ownerId(), renewal.ownership.ttl()))
			.toList();
		long sentAt = this.timing.now();
		Completions.on(this.store.renew(commands), (held, failure) -> answered(batch, sentAt, held, failure));
	}

	private void answered(List<Renewal> batch, long sentAt, @Nullable List<Boolean> held, @Nullable Throwable failure) {
		if (held == null) {
			logger.debug("The renewal of " + batch.size() + " locks failed and is repeated up to their deadlines",
					failure);
			return;
		}
		for (int i = 0; i < batch.size(); i++) {
			Renewal renewal = batch.get(i);
			renewal.queue.renewed(renewal.ownership, sentAt, held.get(i));
			renewInTime(renewal.queue);
		}
	}

	/**
	 * A lease that may be renewed.
	 *
	 * @param renewAt when it was to be renewed at the time of the sweep: answers move the
	 * time in the ownership while candidates are sorted
	 */
	private record Renewal(LocalQueue queue, Ownership ownership, long renewAt) {

	}

}
