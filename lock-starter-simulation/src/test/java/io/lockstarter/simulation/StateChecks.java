// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import io.lockstarter.LossCause;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Compares time and again what processes believe with what servers have: so a mistake is
 * seen at once, and not only when two holders meet.
 */
final class StateChecks {

	/**
	 * For how long after a connection was replaced a server of a quorum may execute an
	 * acquisition once more.
	 */
	private static final long REPLACED_LATELY = 60 * World.SECOND;

	/**
	 * For how long a release grants a key to whoever is next.
	 */
	static final long GRANT_TERM = 400 * World.MILLI;

	/**
	 * How long it takes until a lock is given back that a fault left: for a command
	 * timeout, and a pause.
	 */
	static final long GIVEN_BACK = 3500 * World.MILLI;

	/**
	 * How late a renewal may be: it is due long before.
	 */
	private static final long LATE = 30 * World.MILLI;

	/**
	 * What is wrong with votes stays so for more looks than these.
	 */
	private static final long VOTES_AFTER = 4;

	private static final long BEGUN_WITH = Long.MAX_VALUE;

	private final LongSupplier now;

	private final Checks checks;

	private final Servers servers;

	private final VoteChecks votes;

	private long looks;

	// places and locks that nobody may know of, by key, and instance or owner id
	private final Set<String> stragglers = new HashSet<>();

	// since when nobody has a use for what a server has
	private Map<Left, Long> left = Map.of();

	// what each server began with, by its name and the key
	private final Map<String, String> memories = new HashMap<>();

	// the leases whose loss was told
	private final Set<LeaseView> told = new HashSet<>();

	// those whose actions for that have run
	private final Set<LeaseView> acted = new HashSet<>();

	// who was passed in its process, and when
	private final Map<Call, Passed> passed = new LinkedHashMap<>();

	// what was taken by force, as its process was told, by which servers, and when
	private final Map<Grant, Map<String, Long>> forced = new LinkedHashMap<>();

	StateChecks(LongSupplier now, Checks checks, Servers servers) {
		this.now = now;
		this.checks = checks;
		this.servers = servers;
		this.votes = new VoteChecks(now, checks);
	}

	void step() {
		boolean looksAtVotes = this.servers.isQuorum() && this.looks++ % VOTES_AFTER == 0;
		Map<Left, Long> left = new HashMap<>();
		for (String key : this.servers.keys()) {
			List<LockState> states = this.servers.states(key);
			if (states.isEmpty()) {
				keep(key, left);
				continue;
			}
			if (states.stream().anyMatch((state) -> beganAnew(key, state))) {
				this.checks.beganAnew(key);
			}
			for (Grant grant : this.checks.promised(key)) {
				checkProtected(grant, states);
				if (looksAtVotes && grant.isHeld()) {
					this.votes.look(grant, this.servers.votes(grant), states);
				}
			}
			for (LockState state : states) {
				look(key, state, left);
				this.votes.look(key, state);
			}
		}
		this.left = left;
		if (looksAtVotes) {
			this.votes.looked();
		}
		if (!this.passed.isEmpty()) {
			checkPassed();
		}
		if (!this.forced.isEmpty()) {
			checkForced();
		}
	}

	/**
	 * Check that a lease which says that it is held excludes others at the servers for
	 * longer, by the margin, and lasts no longer than its caller wants.
	 */
	private void checkProtected(Grant grant, List<LockState> states) {
		if (!grant.isHeld()) {
			return;
		}
		int protecting = 0;
		for (LockState state : states) {
			protecting += state.protects(grant, this.now.getAsLong()) ? 1 : 0;
		}
		if (protecting <= (this.servers.isQuorum() ? states.size() / 2 : 0)) {
			this.checks.violated(Rule.UNPROTECTED, grant + " at " + states);
		}
		checkRenewed(grant);
		if (grant.shared && !grant.maybeAlone && !this.servers.isQuorum()) {
			checkShared(grant, states);
		}
		if (grant.lease.deadline() > grant.longest) {
			this.checks.violated(Rule.TERMS,
					grant + ", and not up to " + World.time(grant.clock.worldTime(grant.longest)));
		}
	}

	/**
	 * Check that others can share what its holder shares, as he was told.
	 */
	private void checkShared(Grant grant, List<LockState> states) {
		boolean alone = states.stream()
			.anyMatch((state) -> !state.shared() && state.holders().containsKey(grant.lease.ownerId()));
		if (alone && this.checks.calls().stream().noneMatch((call) -> call.isSharing(grant.lease.key()))) {
			this.checks.violated(Rule.TERMS, grant + " is not shared at " + states);
		}
	}

	/**
	 * Check that a lease is renewed long before its end, as long as nothing keeps its
	 * process from it.
	 */
	private void checkRenewed(Grant grant) {
		long left = grant.lease.deadline() - grant.clock.nanoTime();
		if (left < grant.ttl / 2 - LATE && grant.longest == Long.MAX_VALUE && grant.lease.isRenewed()
				&& this.now.getAsLong() - grant.since > Checks.SLACK && this.servers.isCalm(grant.clock, grant.since)) {
			this.checks.violated(Rule.TERMS, "%s is not renewed, with %d ms left".formatted(grant, left / World.MILLI));
		}
	}

	// Terms

	/**
	 * Check that a lease is held when its process gets it.
	 * @param handedOn whether it is passed on in its process
	 */
	void granted(Clock clock, LeaseView lease, boolean handedOn) {
		Grant grant = this.checks.grant(lease);
		if (grant != null && handedOn) {
			grant.leftWhenPassedOn = lease.deadline() - clock.nanoTime();
		}
		if (lease.deadline() <= clock.nanoTime()) {
			this.checks.violated(Rule.TERMS, "%s of %s ended before it began, at %s".formatted(lease.key(),
					lease.ownerId(), World.time(clock.worldTime(lease.deadline()))));
		}
	}

	/**
	 * Check that a caller gets the ttl that it asked for.
	 * @param given the ttl of the lease
	 * @param asked the ttl that was asked for
	 * @param renewed for how long it may be renewed; {@link Long#MAX_VALUE} for ever
	 */
	void delivered(LeaseView lease, long given, long asked, long renewed) {
		if (given != asked) {
			this.checks.violated(Rule.TERMS, "%s of %s has a ttl of %d ms, and not of %d ms".formatted(lease.key(),
					lease.ownerId(), given / World.MILLI, asked / World.MILLI));
		}
		Grant grant = this.checks.grant(lease);
		if (grant != null && grant.leftWhenPassedOn < leastPassedOn(asked, renewed)) {
			this.checks.violated(Rule.TERMS,
					"%s was passed on with %d ms left".formatted(grant, grant.leftWhenPassedOn / World.MILLI));
		}
		if (grant != null && renewed != Long.MAX_VALUE) {
			grant.longest = grant.clock.nanoTime() + renewed + asked + Checks.SLACK;
		}
		if (grant != null) {
			grant.ttl = given;
		}
	}

	/**
	 * Return for how long a lease is good at least that is passed on in its process: for
	 * its ttl, or for half of what servers give if it is renewed, without the margin.
	 */
	private static long leastPassedOn(long ttl, long renewed) {
		long whole = (renewed > ttl) ? Math.min(ttl, GRANT_TERM) / 2 : ttl;
		return whole - whole / 100 - 2 * World.MILLI;
	}

	/**
	 * Note that a server takes no locks up to an instant.
	 */
	void refuses(long until) {
		this.votes.refuses(until);
	}

	/**
	 * Note that a server of a quorum has lost its memory, and grants no locks up to an
	 * instant.
	 */
	void emptied(String server, long until) {
		this.votes.emptied(server, until);
	}

	/**
	 * Note that nobody knows any more up to when a server grants nothing: its clock was
	 * set, by which it counts, or it has again what it had before it lost its memory.
	 */
	void maybeGrants(String server) {
		this.votes.maybeGrants(server);
	}

	/**
	 * Note that a holder asks for more time.
	 */
	void extended(LeaseView lease) {
		Grant grant = this.checks.grant(lease);
		if (grant != null) {
			grant.longest = Long.MAX_VALUE;
			grant.ttl = 0;
		}
	}

	/**
	 * Check that the listeners are told of a loss once.
	 */
	void toldLost(LeaseView lease) {
		if (!this.told.add(lease)) {
			this.checks.violated(Rule.LOSS_TOLD_TWICE, "%s of %s".formatted(lease.key(), lease.ownerId()));
		}
	}

	/**
	 * Check that an action for the loss of a lease runs once, and is told the cause.
	 */
	void acted(LeaseView lease, LossCause cause) {
		this.checks.acted(lease);
		if (!this.acted.add(lease)) {
			this.checks.violated(Rule.LOSS_TOLD_TWICE,
					"%s of %s, to an action".formatted(lease.key(), lease.ownerId()));
		}
		if (lease.lossCause() != cause) {
			this.checks.violated(Rule.MISTOLD, "%s of %s is %s, and not %s, as an action is told".formatted(lease.key(),
					lease.ownerId(), lease.lossCause(), cause));
		}
	}

	/**
	 * Note that a process is told that a key was taken by force. Its lease is lost; in a
	 * quorum, when most servers have told so: the others may have it for longer.
	 * @param server the name of the one that tells
	 */
	void forced(Clock clock, String key, String ownerId, String server) {
		this.checks.grants(key, ownerId)
			.filter((grant) -> grant.clock == clock)
			.forEach((grant) -> this.forced.computeIfAbsent(grant, (absent) -> new HashMap<>())
				.putIfAbsent(server, this.now.getAsLong()));
	}

	private void checkForced() {
		long time = this.now.getAsLong();
		this.forced.keySet().removeIf((grant) -> !grant.lease.isActive());
		if (this.servers.isQuorum()) {
			this.forced.forEach(this::forgetThoseThatHaveItAgain);
		}
		int enough = this.servers.majority();
		this.forced.forEach((grant, news) -> {
			long runs = grant.clock.runsSince();
			if (news.size() < enough || runs == Long.MAX_VALUE) {
				return;
			}
			long told = news.values().stream().sorted().skip(enough - 1).findFirst().orElseThrow();
			if (time > Math.max(told, runs) + Checks.SLACK) {
				this.checks.violated(Rule.LOSS_NOT_TOLD,
						grant + " was taken by force, as its process was told at " + World.time(told));
			}
		});
	}

	/**
	 * Forget what servers told that gave their votes to the owner id once more, as most
	 * of them had the lock.
	 */
	private void forgetThoseThatHaveItAgain(Grant grant, Map<String, Long> news) {
		for (LockState state : this.servers.states(grant.lease.key())) {
			if (state.holders().containsKey(grant.lease.ownerId())) {
				news.remove(state.server());
			}
		}
	}

	// Use

	/**
	 * Note that a command was executed whose connection was given up. Its instance may
	 * have a place in a queue that it does not know of. And it may have sent the command
	 * again, and released the lock that this one takes for its ttl.
	 */
	void straggler(String key, String ownerId) {
		this.stragglers.add(key + " " + instance(ownerId));
		this.stragglers.add(key + " " + ownerId);
	}

	/**
	 * Look who has no use for what a server has for him. What it began with was right at
	 * another time.
	 */
	private void look(String key, LockState state, Map<Left, Long> left) {
		String before = this.memories.put(memoryOf(key, state), state.memory());
		boolean begins = !state.memory().equals(before);
		state.holders().forEach((ownerId, until) -> {
			Left found = new Left(state.server(), key, ownerId, instance(ownerId));
			boolean begunWith = begins || this.left.getOrDefault(found, 0L) == BEGUN_WITH;
			if (!begunWith) {
				this.checks.found(state.server(), key, ownerId);
			}
			// What is lost ends with its ttl, which the server may count from later.
			if (until > this.now.getAsLong() && !this.checks.isLost(key, ownerId)) {
				look(found, begunWith || this.stragglers.contains(key + " " + ownerId), left);
			}
		});
		if (!this.servers.isQuorum()) {
			for (String instance : state.waiting()) {
				boolean unknown = this.stragglers.contains(key + " " + instance);
				look(new Left(state.server(), key, "", instance), begins || unknown, left);
			}
		}
	}

	private void look(Left found, boolean begunWith, Map<Left, Long> left) {
		Long before = begunWith ? Long.valueOf(BEGUN_WITH) : this.left.get(found);
		if (before != null && before == BEGUN_WITH) {
			left.put(found, before);
			return;
		}
		Clock clock = this.servers.process(found.instance());
		if (clock == null || this.checks.isHeldBy(found.key(), found.ownerId())
				|| this.checks.isWanted(found.key(), clock)) {
			return;
		}
		long since = (before != null) ? before : this.now.getAsLong();
		left.put(found, since);
		// Nobody can give back what he is not told of, or over a connection that is
		// silent.
		long told = Math.max(since, this.servers.heardSince());
		boolean undisturbed = this.now.getAsLong() - told > longest(found, since)
				&& !this.checks.isDisturbedSince(found.instance(), since);
		if (undisturbed || isForgotten(found, told)) {
			this.checks.violated(found.isPlace() ? Rule.LEFTOVER : Rule.ORPHAN,
					found + " since " + World.time(since) + ", for which nobody has a use");
		}
	}

	/**
	 * Return whether nobody gives back a lock that a fault left: that is tried time and
	 * again as soon as the server is reached. A stray vote lasts for a ttl.
	 */
	private boolean isForgotten(Left found, long told) {
		long reached = Math.max(this.checks.keptFromServersUntil(found.instance()), this.servers.reachedSince());
		return !found.isPlace() && !this.servers.isQuorum()
				&& this.now.getAsLong() - GIVEN_BACK > Math.max(told, reached);
	}

	/**
	 * Return how long what nobody has a use for may stay. A stray vote lasts for a ttl.
	 */
	private long longest(Left found, long since) {
		boolean again = this.servers.isQuorum()
				&& this.checks.isDisturbedSince(found.instance(), since - REPLACED_LATELY);
		return Losses.ANSWERED + (again ? this.servers.maxTtl() : 0);
	}

	/**
	 * Keep in mind what was found while nobody can tell.
	 */
	private void keep(String key, Map<Left, Long> left) {
		this.left.forEach((found, since) -> {
			if (found.key().equals(key)) {
				left.put(found, since);
			}
		});
	}

	private boolean beganAnew(String key, LockState state) {
		String before = this.memories.get(memoryOf(key, state));
		return before != null && !before.equals(state.memory());
	}

	private static String memoryOf(String key, LockState state) {
		return state.server() + " " + key;
	}

	private static String instance(String ownerId) {
		return ownerId.substring(0, Math.max(0, ownerId.lastIndexOf(':')));
	}

	// Order

	/**
	 * Note that a call got what it wants alone: nobody in its process who came before
	 * waits for longer.
	 */
	void served(Call call) {
		if (call.shared || !call.what.equals("acquire")) {
			return;
		}
		for (Call open : this.checks.calls()) {
			if (open != call && open.clock == call.clock && open.since < call.since && open.what.equals("acquire")
					&& open.keys.equals(call.keys)) {
				this.passed.putIfAbsent(open, new Passed(this.now.getAsLong(), call));
			}
		}
	}

	/**
	 * Check that whoever is passed is told something at the same time, perhaps a little
	 * later.
	 */
	private void checkPassed() {
		long time = this.now.getAsLong();
		for (Iterator<Map.Entry<Call, Passed>> all = this.passed.entrySet().iterator(); all.hasNext();) {
			Map.Entry<Call, Passed> each = all.next();
			Call call = each.getKey();
			long runs = call.clock.runsSince();
			if (call.ended || !this.checks.calls().contains(call)) {
				all.remove();
			}
			else if (runs != Long.MAX_VALUE && time > Math.max(each.getValue().at(), runs) + Checks.SLACK) {
				this.checks.violated(Rule.OVERTAKEN, call + " in its own process by " + each.getValue().by());
				all.remove();
			}
		}
	}

	/**
	 * What servers have.
	 */
	interface Servers {

		List<String> keys();

		/**
		 * Return what those servers have of a key that are asked for it; nothing if
		 * nobody can tell.
		 */
		List<LockState> states(String key);

		/**
		 * Return whether a majority of them decides.
		 */
		boolean isQuorum();

		/**
		 * Return how many of them decide.
		 */
		int majority();

		/**
		 * Return whether nothing went wrong for a process since an instant.
		 */
		boolean isCalm(Clock clock, long since);

		/**
		 * Return which servers of a quorum are believed to have the key of a lease;
		 * {@code null} if nothing is known of it.
		 */
		VoteChecks.@Nullable Votes votes(Grant grant);

		/**
		 * Return the longest ttl of a lock.
		 */
		long maxTtl();

		/**
		 * Return since when processes hear all signals; {@link Long#MAX_VALUE} if they do
		 * not.
		 */
		long heardSince();

		/**
		 * Return when a process connected last; {@link Long#MAX_VALUE} if a connection is
		 * silent.
		 */
		long reachedSince();

		/**
		 * Return the process of an instance; {@code null} if that is no more.
		 */
		@Nullable Clock process(String instance);

	}

	/**
	 * What a server has for an instance.
	 *
	 * @param ownerId who has the lock; empty if it is a place in the queue
	 */
	private record Left(String server, String key, String ownerId, String instance) {

		boolean isPlace() {
			return this.ownerId.isEmpty();
		}

		@Override
		public String toString() {
			return "%s has %s of %s".formatted(this.server,
					isPlace() ? "a place for " + this.instance : "a lock for " + this.ownerId, this.key);
		}

	}

	private record Passed(long at, Call by) {

	}

}
