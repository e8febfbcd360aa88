// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

import io.lockstarter.LockStoreException;
import io.lockstarter.simulation.Violation.Rule;
import io.lockstarter.store.LockStore.Acquire;
import io.lockstarter.store.LockStore.AcquireReply;
import io.lockstarter.store.LockStore.Acquired;
import io.lockstarter.store.LockStore.Busy;
import io.lockstarter.store.LockStore.Queueing;
import io.lockstarter.store.LockStore.Release;
import io.lockstarter.store.LockStore.Renew;
import org.jspecify.annotations.Nullable;

/**
 * Judges what a process asks its store: nothing for nobody, nothing more often than it is
 * needed, and nothing that takes a lease away from its holder.
 */
final class Asked {

	/**
	 * How often a key is given back of an owner id while nothing goes wrong: once, and
	 * once more by whoever cannot know of that.
	 */
	private static final int RELEASES = 2;

	/**
	 * How often a lease is renewed in a ttl, if it is taken along as early as it may be;
	 * and how often besides, at its beginning and its end.
	 */
	private static final int RENEWALS_IN_TTL = 6;

	private static final int RENEWALS = 3;

	/**
	 * For how long others may be known to wait who do not any more.
	 */
	private static final long LATELY = World.SECOND;

	/**
	 * What is not asked over the connection for commands.
	 */
	private static final Set<String> OVER_A_CONNECTION_OF_THEIR_OWN = Set.of("inspect", "list");

	private final LongSupplier now;

	private final Clock clock;

	private final Checks checks;

	private final LongPredicate calm;

	private final Runnable unsent;

	private final Map<String, Owner> owners = new HashMap<>();

	// what asked for a place in a queue, and whether somebody waited then
	private final Map<Acquire, Boolean> enqueued = new LinkedHashMap<>();

	// when this process came to stand in a queue behind itself
	private final Map<String, Long> behindItself = new HashMap<>();

	// how many tokens were asked for, at most, of each key
	private final Map<String, Integer> mostTokens = new HashMap<>();

	private final List<Release> givenBack = new ArrayList<>();

	/**
	 * Create a watch over what a process asks its store.
	 * @param calm whether nothing went wrong for it since an instant
	 * @param unsent run when it is told that a command was not sent for want of a
	 * connection
	 */
	Asked(LongSupplier now, Clock clock, Checks checks, LongPredicate calm, Runnable unsent) {
		this.now = now;
		this.clock = clock;
		this.checks = checks;
		this.calm = calm;
		this.unsent = unsent;
	}

	void acquires(Acquire command) {
		if (isHeld(command.key(), command.ownerId())) {
			this.checks.violated(Rule.NEEDLESS, this.clock + " asks for what it has: " + command);
		}
		this.owners.put(id(command.key(), command.ownerId()), new Owner(this.now.getAsLong()));
		this.checks.asked(command.key(), command.ownerId());
		this.mostTokens.merge(command.key(), command.tokens(), Math::max);
		if (command.enqueue()) {
			this.enqueued.put(command, wanting(command.key()).stream().anyMatch((call) -> !call.triesOnce));
		}
	}

	void answered(Acquire command, AcquireReply reply) {
		if (reply instanceof Acquired acquired
				&& acquired.lastToken() - acquired.firstToken() + 1 != command.tokens()) {
			this.checks.violated(Rule.TERMS,
					"%s gets tokens %d to %d".formatted(command, acquired.firstToken(), acquired.lastToken()));
		}
		if (command.enqueue() && reply instanceof Busy busy) {
			String holder = busy.holder();
			if (holder != null && holder.startsWith(command.instance() + ":")) {
				this.behindItself.put(command.key(), this.now.getAsLong());
			}
		}
	}

	/**
	 * Check a failure to acquire that says that nothing was done: no server has the lock
	 * for an owner id that none had it for before.
	 * @param seen whether one had it before
	 */
	void failed(Acquire command, boolean seen, Throwable failure) {
		if (!seen && failure instanceof LockStoreException known && !known.isOutcomeUnknown()) {
			this.checks.hadNoEffect(command.key(), command.ownerId());
		}
	}

	/**
	 * Return whether a server ever had a lock for whom it is asked for.
	 */
	boolean isSeen(Acquire command) {
		return this.checks.isSeenAtServer(command.key(), command.ownerId());
	}

	/**
	 * Check a grant that a release elsewhere made: it has no more tokens than were asked
	 * for.
	 */
	void granted(String key, Acquired grant) {
		long tokens = grant.lastToken() - grant.firstToken() + 1;
		if (tokens < 1 || tokens > this.mostTokens.getOrDefault(key, 0)) {
			this.checks.violated(Rule.TERMS, "%s is granted %s with tokens %d to %d".formatted(this.clock, key,
					grant.firstToken(), grant.lastToken()));
		}
	}

	/**
	 * Check that a store answers a command, or says what is wrong.
	 * @param subject what it is about; empty if that is all
	 */
	<T> CompletableFuture<T> judged(String what, String subject, @Nullable CompletableFuture<T> answer) {
		if (answer == null) {
			this.checks.violated(Rule.TERMS, "%s has no answer to %s %s".formatted(this.clock, what, subject));
			return new CompletableFuture<>();
		}
		var unused = answer.whenComplete((reply, failure) -> {
			String flaw = (failure != null) ? Flaws.of(failure, subject.isEmpty() ? List.of() : List.of(subject))
					: null;
			if (isUnsent(failure) && !OVER_A_CONNECTION_OF_THEIR_OWN.contains(what)) {
				this.unsent.run();
			}
			if (flaw != null) {
				this.checks.violated(Rule.EXCEPTION,
						"%s is told of %s %s: %s".formatted(this.clock, what, subject, flaw));
			}
		});
		return answer;
	}

	private static boolean isUnsent(@Nullable Throwable failure) {
		return failure != null && String.valueOf(failure.getMessage()).contains("no connection to Redis");
	}

	void releases(Release command) {
		if (command.queueing() == Queueing.GRANTED) {
			this.mostTokens.merge(command.key(), command.tokens(), Math::max);
		}
		this.givenBack.add(command);
		Owner owner = owner(command.key(), command.ownerId());
		owner.releases++;
		long lately = owner.since - LATELY;
		// The store tells a process of whoever stands behind it, also if it does so
		// itself, as the key was granted to it meanwhile.
		if (command.requeue() && this.calm.test(lately)
				&& !this.checks.isWantedElsewhere(command.key(), this.clock, lately)
				&& this.behindItself.getOrDefault(command.key(), Long.MIN_VALUE) < lately) {
			this.checks.violated(Rule.NEEDLESS, this.clock + " lets others go first, and there are none: " + command);
		}
		if (owner.releases > RELEASES && this.calm.test(owner.since)) {
			this.checks.violated(Rule.NEEDLESS,
					"%s gives back for the %d. time: %s".formatted(this.clock, owner.releases, command));
		}
	}

	void keeps(Renew command) {
		if (isHeld(command.key(), command.ownerId())) {
			this.checks.violated(Rule.NEEDLESS, this.clock + " keeps what somebody has: " + command);
		}
	}

	/**
	 * Note that a holder asks for more time: how often that is renewed is not looked at.
	 */
	void extended(String key, String ownerId) {
		owner(key, ownerId).extended = true;
	}

	void renews(List<Renew> commands) {
		for (Renew command : commands) {
			if (!isHeld(command.key(), command.ownerId())) {
				this.checks.violated(Rule.NEEDLESS, this.clock + " renews what nobody has: " + command);
			}
			Owner owner = owner(command.key(), command.ownerId());
			owner.renewals++;
			owner.shortest = Math.min(owner.shortest, command.ttl().toNanos());
			long passed = this.now.getAsLong() - owner.since;
			if (!owner.extended && owner.renewals > RENEWALS + RENEWALS_IN_TTL * passed / owner.shortest
					&& this.calm.test(owner.since)) {
				this.checks.violated(Rule.NEEDLESS, "%s renews for the %d. time in %d ms: %s".formatted(this.clock,
						owner.renewals, passed / World.MILLI, command));
			}
		}
	}

	void renewed(List<Renew> commands, List<@Nullable Boolean> held) {
		if (commands.size() != held.size()) {
			this.checks.violated(Rule.TERMS, "%d answers to %s".formatted(held.size(), commands));
		}
	}

	/**
	 * Check what was asked just now: nobody stands in a queue on behalf of those who do
	 * not wait, and nobody goes on with what was given back.
	 */
	void step() {
		for (Release command : this.givenBack) {
			if (isHeld(command.key(), command.ownerId())) {
				this.checks.violated(Rule.NEEDLESS, this.clock + " gives back what somebody has: " + command);
			}
		}
		this.givenBack.clear();
		this.enqueued.forEach((command, waited) -> {
			List<Call> wanting = wanting(command.key());
			if (!waited && !wanting.isEmpty() && wanting.stream().allMatch((call) -> call.triesOnce)) {
				this.checks.violated(Rule.NEEDLESS,
						"%s joins a queue, and nobody waits: %s".formatted(this.clock, wanting));
			}
		});
		this.enqueued.clear();
	}

	private List<Call> wanting(String key) {
		return this.checks.calls()
			.stream()
			.filter((call) -> call.clock == this.clock && call.what.startsWith("acquire") && call.keys.contains(key))
			.toList();
	}

	private boolean isHeld(String key, String ownerId) {
		return this.checks.grants(key, ownerId)
			.anyMatch((grant) -> grant.clock == this.clock && grant.lease.isActive());
	}

	private Owner owner(String key, String ownerId) {
		return this.owners.computeIfAbsent(id(key, ownerId), (absent) -> new Owner(this.now.getAsLong()));
	}

	private static String id(String key, String ownerId) {
		return key + " " + ownerId;
	}

	private static final class Owner {

		private final long since;

		private int releases;

		private int renewals;

		private boolean extended;

		private long shortest = Long.MAX_VALUE;

		Owner(long since) {
			this.since = since;
		}

	}

}
