// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.testkit;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * Checks what holders say of a lock, while they say it. What must not be:
 * <ul>
 * <li>two leases of a key that are both within their deadlines, unless both share it;
 * <li>a fencing token that is not larger than those of all leases before; of one that
 * shares the key, than those of all exclusive ones before, or of one that was downgraded,
 * than those of all others of them;
 * <li>a lease that is held after it was told lost, or after its end;
 * <li>an owner id at the store that nobody wants, for longer than its ttl.
 * </ul>
 * Events may come in any order, as long as none is later than a given slack behind the
 * latest. So much of them is kept, besides leases that have not ended and owner ids that
 * are in use; everything else is forgotten. An event that comes later than that is a
 * violation, too, since it cannot be judged any more.
 * <p>
 * Where the store is known to have forgotten a lock, leases from before may overlap those
 * from after it. These are counted apart, by cause; tokens must grow all the same. Where
 * another server is known to have taken its place, grants of the old one may have smaller
 * tokens for a while. Thread-safe.
 */
public final class HoldHistory {

	private static final int KEPT = 100;

	private static final int MEMORY = 10;

	private static final int TOKENS = 1000;

	private final long slack;

	private final PriorityQueue<Numbered> waiting = new PriorityQueue<>();

	private final Map<String, Key> keys = new HashMap<>();

	private final Map<Breach, Long> breaches = new EnumMap<>(Breach.class);

	private final List<String> violations = new ArrayList<>();

	private final Map<String, Long> excused = new TreeMap<>();

	private long latest = Long.MIN_VALUE;

	private long judged = Long.MIN_VALUE;

	private long count;

	private long grants;

	private long fenced;

	/**
	 * Create a history.
	 * @param slack how much later than others an event may come
	 */
	public HoldHistory(Duration slack) {
		this.slack = slack.toNanos();
	}

	/**
	 * Take note of an event.
	 * @param event what happened
	 */
	public synchronized void add(HoldEvent event) {
		if (event.at() < this.judged) {
			report(Breach.LATE_EVENT, event, "came after events of " + this.judged + " were judged");
			return;
		}
		this.waiting.add(new Numbered(event, this.count++));
		this.latest = Math.max(this.latest, event.at());
		judge(this.latest - this.slack);
	}

	/**
	 * Take note of a lease that is over.
	 * @param from when the holder learned that it holds the key
	 * @param to up to when it believed so
	 * @param token the first token it was given
	 * @param lastToken the last token it was given
	 */
	public synchronized void add(String key, String ownerId, long from, long to, long token, long lastToken) {
		add(HoldEvent.granted(key, ownerId, from, to, token, lastToken));
		add(HoldEvent.ended(key, ownerId, to, token));
	}

	/**
	 * Judge what is still waiting for earlier events. None may come any more.
	 * @return all violations found, or the first {@value #KEPT} of them
	 */
	public synchronized List<String> violations() {
		judge(Long.MAX_VALUE);
		return List.copyOf(this.violations);
	}

	/**
	 * Return how many violations were found so far.
	 * @return numbers by kind; none for a kind that was not found
	 */
	public synchronized Map<Breach, Long> breaches() {
		return Collections.unmodifiableMap(new EnumMap<>(this.breaches));
	}

	/**
	 * Return how many pairs of leases overlapped because the store had forgotten a lock.
	 * @return numbers by cause
	 */
	public synchronized Map<String, Long> excused() {
		return Collections.unmodifiableMap(new TreeMap<>(this.excused));
	}

	/**
	 * Return how many leases were granted, as far as judged.
	 * @return the number
	 */
	public synchronized long grants() {
		return this.grants;
	}

	/**
	 * Return how many leases were granted by a server that was replaced, with tokens that
	 * are too small.
	 * @return the number, as far as judged
	 */
	public synchronized long fenced() {
		return this.fenced;
	}

	/**
	 * Return how much is kept at the moment.
	 * @return the number of events, leases and owner ids
	 */
	public synchronized int retained() {
		return this.waiting.size()
				+ this.keys.values().stream().mapToInt((key) -> key.leases.size() + key.owners.size()).sum();
	}

	private void judge(long before) {
		for (Numbered next = this.waiting.peek(); next != null
				&& next.event.at() < before; next = this.waiting.peek()) {
			this.waiting.remove();
			this.judged = next.event.at();
			judge(next.event, this.keys.computeIfAbsent(next.event.key(), (key) -> new Key()));
		}
	}

	private void judge(HoldEvent event, Key key) {
		switch (event.kind()) {
			case ASKED, GIVEN_UP -> key.owners.put(event.ownerId(), event.until());
			case SEEN -> seen(event, key);
			case GRANTED, SHARED -> granted(event, key);
			case DOWNGRADED -> downgraded(event, key);
			case EXTENDED -> extended(event, key);
			case TOLD_HELD -> toldHeld(event, key);
			case TOLD_LOST -> toldLost(event, key);
			case ENDED -> key.leases.remove(Id.of(event));
			case FORGOTTEN -> key.forget(event);
			case REPLACED -> {
				key.forget(event);
				key.replaced = event;
			}
		}
		if (event.kind() == HoldEvent.Kind.GIVEN_UP) {
			key.forgetOwners(event.at());
		}
	}

	private void granted(HoldEvent event, Key key) {
		this.grants++;
		Lease lease = new Lease(event);
		checkAlone(event, lease, key);
		long before = lease.shares() ? key.lastExclusiveToken : key.lastToken;
		if (!lease.shares() && !key.isFirstToGet(event.token())) {
			report(Breach.TOKEN, event, "was given before");
		}
		else if (event.token() <= before) {
			if (key.mayBeOfAnOldServer(event)) {
				this.fenced++;
			}
			else if (!key.mayBeFromBeforeAForgetting(event)) {
				report(Breach.TOKEN, event, "is not larger than " + before);
			}
		}
		key.lastToken = Math.max(key.lastToken, event.lastToken());
		if (!lease.shares()) {
			key.lastExclusiveToken = Math.max(key.lastExclusiveToken, event.lastToken());
			key.exclusive.put(event.token(), lease);
			if (key.exclusive.size() > MEMORY) {
				key.exclusive.remove(key.exclusive.keySet().iterator().next());
			}
		}
		key.leases.put(Id.of(event), lease);
	}

	/**
	 * Its token is the last exclusive one, as nobody else can have had the key since.
	 */
	private void downgraded(HoldEvent event, Key key) {
		Lease before = key.exclusive.remove(event.token());
		if (before == null) {
			if (key.forgotten.isEmpty()) {
				report(Breach.TOKEN, event, "is not that of an exclusive lease, or of another one as well");
			}
			return;
		}
		if (before.lost) {
			report(Breach.HELD_AFTER_LOST, event, "was told lost before");
		}
		Lease lease = new Lease(before.granted, event);
		checkAlone(event, lease, key);
		if (event.token() < key.lastExclusiveToken && !key.mayBeOfAnOldServer(before.granted)
				&& key.forgottenSince(before.granted, event.at()) == null) {
			report(Breach.TOKEN, event, "is smaller than " + key.lastExclusiveToken);
		}
		key.leases.put(Id.of(event), lease);
	}

	private void extended(HoldEvent event, Key key) {
		Lease lease = key.leases.get(Id.of(event));
		// a late answer to the renewal of a lease that is over is nothing to act on
		if (lease != null && !lease.lost) {
			lease.until = Math.max(lease.until, event.until());
			checkAlone(event, lease, key);
		}
	}

	private void toldHeld(HoldEvent event, Key key) {
		Lease lease = key.leases.get(Id.of(event));
		if (lease == null) {
			report(Breach.HELD_WITHOUT_LEASE, event, "was never granted, or has ended");
		}
		else if (lease.lost) {
			report(Breach.HELD_AFTER_LOST, event, "was told lost before");
		}
		else {
			if (event.at() >= lease.until) {
				report(Breach.HELD_PAST_DEADLINE, event, "has the deadline " + lease.until);
			}
			checkAlone(event, lease, key);
		}
	}

	private static void toldLost(HoldEvent event, Key key) {
		Lease lease = key.leases.get(Id.of(event));
		if (lease != null) {
			lease.lost = true;
			lease.until = Math.min(lease.until, event.at());
		}
	}

	private void seen(HoldEvent event, Key key) {
		Long until = key.owners.get(event.ownerId());
		if (until == null || event.at() > until) {
			report(Breach.ORPHAN, event, "has nobody who wants it, "
					+ ((until != null) ? "for longer than its ttl" : "and was never asked for, or is over for long"));
		}
	}

	/**
	 * Whoever claims to hold a key at some instant is the only one who may, but for
	 * others who share it as well.
	 */
	private void checkAlone(HoldEvent event, Lease claiming, Key key) {
		key.leases.values().forEach((lease) -> {
			boolean together = claiming.shares() && lease.shares();
			if (lease != claiming && !together && event.at() < lease.until) {
				overlap(event, claiming, lease, key);
			}
		});
	}

	private void overlap(HoldEvent event, Lease claiming, Lease other, Key key) {
		HoldEvent older = (claiming.granted.token() < other.granted.token()) ? claiming.granted : other.granted;
		HoldEvent forgotten = key.forgottenSince(older, event.at());
		if (forgotten == null) {
			report(Breach.OVERLAP, event, "overlaps " + other.granted);
		}
		else if (claiming.excused.add(other.granted.token()) && other.excused.add(claiming.granted.token())) {
			this.excused.merge(forgotten.ownerId(), 1L, Long::sum);
		}
	}

	private void report(Breach breach, HoldEvent event, String why) {
		this.breaches.merge(breach, 1L, Long::sum);
		if (this.violations.size() < KEPT) {
			this.violations.add("%s: %s %s".formatted(breach, event, why));
		}
	}

	/**
	 * What can be wrong.
	 */
	public enum Breach {

		/** Two leases are within their deadlines. */
		OVERLAP,
		/** A token is not larger than those before. */
		TOKEN,
		/** Told held after it was told lost. */
		HELD_AFTER_LOST,
		/** Told held although the deadline had passed. */
		HELD_PAST_DEADLINE,
		/** Told held before the lease began or after it ended. */
		HELD_WITHOUT_LEASE,
		/** The store has an owner id that nobody wants, for longer than its ttl. */
		ORPHAN,
		/** An event came too late to be judged. */
		LATE_EVENT

	}

	private record Numbered(HoldEvent event, long number) implements Comparable<Numbered> {

		@Override
		public int compareTo(Numbered other) {
			int order = HoldEvent.ORDER.compare(this.event, other.event);
			return (order != 0) ? order : Long.compare(this.number, other.number);
		}

	}

	private static final class Lease {

		private final HoldEvent granted;

		private final Set<Long> excused = new HashSet<>();

		private final boolean shares;

		private long until;

		private boolean lost;

		Lease(HoldEvent granted) {
			this(granted, granted);
		}

		/**
		 * Create a lease that was granted before it began to be what it is.
		 */
		Lease(HoldEvent granted, HoldEvent begun) {
			this.granted = granted;
			this.shares = begun.kind() != HoldEvent.Kind.GRANTED;
			this.until = begun.until();
		}

		boolean shares() {
			return this.shares;
		}

	}

	/**
	 * Which lease of a key. Those that share it may have the same token.
	 */
	private record Id(long token, String ownerId) {

		static Id of(HoldEvent event) {
			return new Id(event.token(), event.ownerId());
		}

	}

	/**
	 * What made the store forget who holds the key, and the last tokens that were told
	 * before.
	 */
	private record Forgetting(HoldEvent event, long lastToken, long lastExclusiveToken) {

		boolean mayEnd(HoldEvent granted, long at) {
			return this.event.mayEnd(granted) && this.event.at() <= at;
		}

		long lastTokenFor(HoldEvent granted) {
			return (granted.kind() == HoldEvent.Kind.SHARED) ? this.lastExclusiveToken : this.lastToken;
		}

	}

	private static final class Key {

		/** Leases that have not ended. */
		private final Map<Id, Lease> leases = new HashMap<>();

		/** The last exclusive leases, ended or not, by token. */
		private final Map<Long, Lease> exclusive = new LinkedHashMap<>();

		/** Owner ids, and up to when the store may have them. */
		private final Map<String, Long> owners = new HashMap<>();

		/** When it was forgotten who holds the key, the latest first. */
		private final Deque<Forgetting> forgotten = new ArrayDeque<>();

		/** Those that were given last. */
		private final Set<Long> tokens = new LinkedHashSet<>();

		private @Nullable HoldEvent replaced;

		private long lastToken = Long.MIN_VALUE;

		private long lastExclusiveToken = Long.MIN_VALUE;

		private int given;

		void forget(HoldEvent event) {
			this.forgotten.addFirst(new Forgetting(event, this.lastToken, this.lastExclusiveToken));
			if (this.forgotten.size() > MEMORY) {
				this.forgotten.removeLast();
			}
		}

		/**
		 * Return why a lease was forgotten before some instant, if it was.
		 */
		@Nullable HoldEvent forgottenSince(HoldEvent granted, long at) {
			for (Forgetting forgetting : this.forgotten) {
				if (forgetting.mayEnd(granted, at)) {
					return forgetting.event;
				}
			}
			return null;
		}

		/**
		 * Return whether a lease may have been granted before it was forgotten who holds
		 * the key, and told after the next one was granted. Then its token is larger than
		 * all that were told before.
		 */
		boolean mayBeFromBeforeAForgetting(HoldEvent granted) {
			return this.forgotten.stream()
				.anyMatch((forgetting) -> forgetting.mayEnd(granted, granted.at())
						&& granted.token() > forgetting.lastTokenFor(granted));
		}

		boolean isFirstToGet(long token) {
			boolean first = this.tokens.add(token);
			if (this.tokens.size() > TOKENS) {
				this.tokens.remove(this.tokens.iterator().next());
			}
			return first;
		}

		boolean mayBeOfAnOldServer(HoldEvent granted) {
			return this.replaced != null && this.replaced.at() <= granted.at() && this.replaced.mayEnd(granted);
		}

		/**
		 * Forget those whose time is over, once in a while. Whoever is seen without being
		 * known is an orphan, so that nothing is missed.
		 */
		void forgetOwners(long now) {
			if (++this.given < 100) {
				return;
			}
			this.given = 0;
			for (Iterator<Long> until = this.owners.values().iterator(); until.hasNext();) {
				if (until.next() < now) {
					until.remove();
				}
			}
		}

	}

}
