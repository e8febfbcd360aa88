// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LossCause;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Compares all that happens with what is promised. Knows of faults only that an
 * assumption is broken for a key: what was granted before may overlap with what comes,
 * and may be lost, until a server confirms it, or up to its own deadline.
 */
final class Checks {

	/**
	 * How late a process that runs may be.
	 */
	static final long SLACK = 50 * World.MILLI;

	/**
	 * After that, who waits stands in the queue, and others know of it.
	 */
	private static final long IN_TURN = 300 * World.MILLI;

	/**
	 * For how long the message of a release by force may be under way.
	 */
	private static final long LONGEST_NEWS = 5 * World.SECOND;

	private final LongSupplier now;

	private final Map<String, KeyState> keys = new HashMap<>();

	private final Map<String, Integer> limits = new TreeMap<>();

	private final List<Grant> told = new ArrayList<>();

	private final List<Call> calls = new ArrayList<>();

	private final List<Violation> violations = new ArrayList<>();

	private final Map<String, Disturbance> disturbances = new HashMap<>();

	private final Losses losses;

	private final Set<Clock> unreliable = new HashSet<>();

	// since when clocks go as is assumed that once did not
	private final Map<Clock, Long> reliableSince = new HashMap<>();

	private final Map<Clock, Long> stalledUntil = new HashMap<>();

	private int mostPermits;

	// when a key was taken from an owner id by force that may be told so
	private final Map<String, Long> forced = new HashMap<>();

	// who lost which key by force, as a server remembers that may be asked
	private final Map<String, Long> rememberedForces = new HashMap<>();

	// those of whom stores said that what they asked for was not done, with the key
	private final Set<String> withoutEffect = new HashSet<>();

	private boolean clockSetBack;

	private long memoryLostAt = Long.MIN_VALUE;

	// when the last lease was asked for that was granted
	private long lastAsked = Long.MIN_VALUE;

	// what was asked for before has tokens of which nothing is promised
	private long tokensSince = Long.MIN_VALUE;

	Checks(LongSupplier now) {
		this.now = now;
		this.losses = new Losses(now, this::isDisturbedSince, this::violated);
	}

	/**
	 * Note how many permits of a key there are.
	 */
	void permits(String key, int limit) {
		this.limits.put(PermitPlan.prefix(key), limit);
	}

	List<Violation> violations() {
		return this.violations;
	}

	void violated(Rule rule, String details) {
		this.violations.add(new Violation(rule, this.now.getAsLong(), details));
	}

	// Faults

	/**
	 * Note that an assumption is broken now: what was asked for up to now may be granted
	 * twice.
	 */
	void broken(String key) {
		broken(key, this.now.getAsLong());
	}

	/**
	 * Note that an assumption was broken: what was asked for up to then may be granted
	 * twice.
	 */
	void broken(String key, long then) {
		forgetForces(key);
		breakUpTo(key, then);
	}

	private void breakUpTo(String key, long then) {
		KeyState state = state(key);
		state.brokenAt = Math.max(state.brokenAt, then);
		state.open.stream()
			.filter((grant) -> grant.clock.worldTime(grant.lease.ownerSince()) <= then)
			.forEach((grant) -> grant.taint(then));
	}

	/**
	 * Note that a minority of the servers forgot what they knew: what was asked for up to
	 * now may be lost, and still excludes others.
	 */
	void forgotten(String key) {
		state(key).forgottenAt = this.now.getAsLong();
	}

	/**
	 * Note that an assumption is broken for a while.
	 */
	void breaking(String key) {
		broken(key);
		state(key).breaking++;
	}

	void mended(String key) {
		broken(key);
		state(key).breaking--;
	}

	/**
	 * Note that somebody releases a lock by force: its holder goes on until he is told.
	 */
	void forcing(String key) {
		breakUpTo(key, this.now.getAsLong());
		state(key).breaking++;
	}

	/**
	 * Note that a release by force is over.
	 */
	void forcingEnds(String key) {
		breakUpTo(key, this.now.getAsLong());
		state(key).breaking--;
	}

	/**
	 * Note that the clock of the server was set back. A loss of memory after that leaves
	 * nothing by which tokens could grow.
	 */
	void clockSetBack() {
		this.clockSetBack = true;
		if (this.memoryLostAt >= this.lastAsked) {
			beginTokensAnew();
		}
	}

	/**
	 * Note that the server lost its memory, or a part of it. If its clock was set back,
	 * tokens begin anew: those of leases that are asked for from now on grow among
	 * themselves.
	 */
	void memoryLost() {
		this.memoryLostAt = this.now.getAsLong();
		if (this.clockSetBack) {
			beginTokensAnew();
		}
	}

	/**
	 * Return whether a server ever lost its memory, or a part of it.
	 */
	boolean hasLostMemory() {
		return this.memoryLostAt != Long.MIN_VALUE;
	}

	private void beginTokensAnew() {
		this.tokensSince = this.now.getAsLong();
		this.keys.values().forEach((state) -> state.beginTokensAnew(this.tokensSince));
	}

	private long tokensSince(KeyState state) {
		return Math.max(this.tokensSince, state.tokensSince);
	}

	/**
	 * Return whether the token of a lease is one of those that grow, as far as is known
	 * of leases that may be over.
	 */
	boolean isTokenOrdered(LeaseView lease) {
		KeyState state = state(lease.key());
		long asked = state.open.stream()
			.filter((grant) -> grant.lease.equals(lease))
			.mapToLong((grant) -> grant.clock.worldTime(grant.lease.ownerSince()))
			.findFirst()
			.orElse(0);
		return asked > tokensSince(state);
	}

	/**
	 * Note that a server which was replaced handed out its first tokens for a key while
	 * another one did so, too: those of leases that are asked for from now on grow among
	 * themselves.
	 */
	void tokensBeginAnew(String key) {
		state(key).beginTokensAnew(this.now.getAsLong());
	}

	/**
	 * Note that a clock goes slower than is assumed: its leases may overlap with others.
	 */
	void unreliable(Clock clock) {
		this.unreliable.add(clock);
		taint(clock);
	}

	/**
	 * Note that a clock goes as is assumed again.
	 */
	void reliable(Clock clock) {
		this.unreliable.remove(clock);
		this.reliableSince.put(clock, this.now.getAsLong());
		taint(clock);
	}

	private void taint(Clock clock) {
		grants(clock).forEach((grant) -> grant.taint(this.now.getAsLong()));
	}

	/**
	 * Note that the registry of a process is stopped, while holders go on.
	 */
	void stopped(Clock clock) {
		grants(clock).forEach((grant) -> grant.outlivesRegistry = true);
	}

	private Stream<Grant> grants(Clock clock) {
		return this.keys.values()
			.stream()
			.flatMap((state) -> Stream.concat(state.open.stream(), state.released.values().stream()))
			.filter((grant) -> grant.clock == clock);
	}

	/**
	 * Note a fault that may cost a lease of a process its renewal.
	 */
	void disturbed(String holder, long until) {
		this.disturbances.computeIfAbsent(holder, (absent) -> new Disturbance()).until(until);
	}

	/**
	 * Note up to when a fault may keep a process from reaching a server, or from trying.
	 */
	void keptFromServers(String holder, long until) {
		this.disturbances.computeIfAbsent(holder, (absent) -> new Disturbance()).keptFromServers(until);
	}

	/**
	 * Return up to when faults may have kept a process from reaching a server.
	 */
	long keptFromServersUntil(String holder) {
		Disturbance disturbance = this.disturbances.get(holder);
		return (disturbance != null) ? disturbance.keptUntil : Long.MIN_VALUE;
	}

	/**
	 * Return whether a fault may have kept a process from its commands.
	 */
	boolean isDisturbedSince(String holder, long time) {
		Disturbance disturbance = this.disturbances.get(holder);
		return disturbance != null && disturbance.until >= time;
	}

	/**
	 * Return what servers lost of which nobody was told yet.
	 */
	Losses losses() {
		return this.losses;
	}

	/**
	 * Note that a server lost what an owner id had there. Who believes to hold it has to
	 * be told.
	 * @param voted whether other servers may have it yet
	 */
	void lost(String key, String ownerId, boolean shared, boolean voted) {
		List<Grant> leases = state(key).open.stream()
			.filter((grant) -> grant.lease.ownerId().equals(ownerId) && grant.lease.isActive())
			.toList();
		this.losses.lost(key, ownerId, shared, voted, leases);
	}

	/**
	 * Note that the watchdog of a process does nothing up to an instant.
	 */
	void stalled(Clock clock, long until) {
		this.stalledUntil.merge(clock, until, Math::max);
	}

	/**
	 * Note that a key was taken from an owner id by force. That may be told once of what
	 * the owner id has acquired since: its instance hears of a grant later than the
	 * store.
	 */
	void forced(String key, String ownerId) {
		this.forced.put(ownerId + " " + key, this.now.getAsLong());
	}

	/**
	 * Note that a server remembers a release by force up to an instant: who asks it is
	 * told so.
	 */
	void forceRemembered(String key, String ownerId, long until) {
		this.rememberedForces.put(ownerId + " " + key, until);
	}

	/**
	 * Note that servers may have forgotten releases by force.
	 */
	void forgetForces(String key) {
		this.rememberedForces.keySet().removeIf((force) -> force.endsWith(" " + key));
	}

	/**
	 * Note that a store says of a command that it had no effect.
	 */
	void hadNoEffect(String key, String ownerId) {
		this.withoutEffect.add(ownerId + " " + key);
	}

	/**
	 * Note that a key is asked for by an owner id, perhaps once more.
	 */
	void asked(String key, String ownerId) {
		this.withoutEffect.remove(ownerId + " " + key);
	}

	/**
	 * Check that a server has no lock for somebody who was told that nothing was done.
	 */
	void found(String server, String key, String ownerId) {
		if (this.withoutEffect.remove(ownerId + " " + key)) {
			violated(Rule.MISTOLD,
					"%s has %s for %s, who was told that nothing was done".formatted(server, key, ownerId));
		}
	}

	/**
	 * Return whether a server ever had a lock for an owner id.
	 */
	boolean isSeenAtServer(String key, String ownerId) {
		return state(key).seenSince.containsKey(ownerId);
	}

	/**
	 * Note that a vote for a key was taken by force from somebody who may not have known
	 * yet that he has the key.
	 */
	void voteForced(String key) {
		state(key).voteForcedAt = this.now.getAsLong();
	}

	// Leases

	void granted(String holder, Clock clock, LeaseView lease) {
		long time = this.now.getAsLong();
		KeyState state = state(lease.key());
		Grant grant = new Grant(holder, clock, lease, time);
		if (time < state.keptUntil) {
			violated(Rule.EXCLUSION, grant + " within a minimum hold, up to " + World.time(state.keptUntil));
		}
		long asked = clock.worldTime(lease.ownerSince());
		if (asked <= state.brokenAt) {
			grant.taint(state.brokenAt);
		}
		if (isDoubtful(state, clock) || asked <= this.reliableSince.getOrDefault(clock, Long.MIN_VALUE)) {
			grant.taint(time);
		}
		this.lastAsked = Math.max(this.lastAsked, asked);
		state.heldSince.merge(lease.ownerId(), asked, Math::min);
		if (asked > tokensSince(state)) {
			checkToken(state, grant);
		}
		if (state.open.stream().noneMatch((open) -> open.shared)) {
			state.sharedSince = time;
		}
		state.open.add(grant);
		this.losses.granted(grant);
		checkExclusion(state);
	}

	private boolean isDoubtful(KeyState state, Clock clock) {
		return state.breaking > 0 || this.unreliable.contains(clock);
	}

	private void checkToken(KeyState state, Grant grant) {
		long token = grant.lease.token();
		boolean twice = grant.shared ? state.tokens.contains(token) : !state.tokens.add(token);
		if (twice || (!grant.shared && state.sharedTokens.contains(token))) {
			violated(Rule.TOKEN_TWICE, grant.toString());
		}
		if (grant.shared) {
			// Those who share a key may hear of it in another order.
			state.sharedTokens.add(token);
			state.lastToken = Math.max(state.lastToken, token);
			if (!grant.tainted && token <= state.lastExclusive) {
				violated(Rule.TOKEN_ORDER, grant + " after token " + state.lastExclusive + " of one who was alone");
			}
			return;
		}
		state.lastExclusive = Math.max(state.lastExclusive, token);
		if (token > state.lastToken) {
			state.lastToken = token;
		}
		else if (!grant.tainted) {
			violated(Rule.TOKEN_ORDER, grant + " after token " + state.lastToken);
		}
	}

	/**
	 * Note that a holder goes on sharing a key that it has.
	 */
	void shares(LeaseView lease) {
		KeyState state = state(lease.key());
		state.open.stream().filter((grant) -> grant.lease.equals(lease)).forEach((grant) -> grant.shared = true);
		state.lastAlone = this.now.getAsLong();
		state.sharedSince = state.lastAlone;
	}

	/**
	 * Note that nobody knows whether a holder came to share a key: to others in its
	 * process it has the key alone.
	 */
	void mayNotShare(LeaseView lease) {
		state(lease.key()).open.stream()
			.filter((grant) -> grant.lease.equals(lease))
			.forEach((grant) -> grant.maybeAlone = true);
	}

	/**
	 * Note that a server began with what it had of a key before: it may have it for one
	 * alone who came to share it since.
	 */
	void beganAnew(String key) {
		state(key).open.stream().filter((grant) -> grant.shared).forEach((grant) -> grant.maybeAlone = true);
	}

	/**
	 * Note that a key stays when its lease is released, up to an instant at least.
	 */
	void kept(String key, long until) {
		state(key).keptUntil = until;
	}

	/**
	 * Note that the listeners were told that a lease is lost.
	 */
	void toldLost(LeaseView lease, LossCause cause) {
		this.losses.told(lease);
		for (Iterator<Grant> grants = this.told.iterator(); grants.hasNext();) {
			Grant grant = grants.next();
			if (grant.lease.equals(lease)) {
				grant.told = true;
				if (grant.isTold()) {
					grants.remove();
				}
				return;
			}
		}
		for (Grant grant : state(lease.key()).open) {
			if (grant.lease.equals(lease)) {
				grant.told = true;
				return;
			}
		}
		Grant released = state(lease.key()).released.get(lease);
		if (released != null) {
			toldLostAfterRelease(released, cause);
		}
	}

	/**
	 * Note that an action for the loss of a lease has run.
	 */
	void acted(LeaseView lease) {
		Stream.concat(this.told.stream(), state(lease.key()).open.stream())
			.filter((grant) -> grant.lease.equals(lease))
			.forEach((grant) -> grant.acted = true);
		this.told.removeIf(Grant::isTold);
	}

	/**
	 * A release says that the lock was lost if the server did not have it any more, which
	 * it had up to the deadline.
	 */
	private void toldLostAfterRelease(Grant grant, LossCause cause) {
		checkForceTold(grant, cause);
		KeyState state = state(grant.lease.key());
		boolean promised = !grant.tainted && state.breaking == 0 && !takeForce(grant, cause)
				&& grant.clock.worldTime(grant.lease.ownerSince()) > Math.max(state.brokenAt, state.forgottenAt);
		if (promised && grant.clock.nanoTime() < grant.lease.deadline()) {
			violated(Rule.FALSE_LOSS, grant + " was released, and told that it is " + cause);
		}
	}

	/**
	 * Note that a process ended without a word.
	 */
	void gone(Clock clock) {
		for (KeyState state : this.keys.values()) {
			state.open.removeIf((grant) -> grant.clock == clock);
		}
		this.told.removeIf((grant) -> grant.clock == clock);
		this.losses.gone(clock);
		this.calls.removeIf((call) -> call.clock == clock);
	}

	/**
	 * Return whether a lease that is held may overlap with others, or may have done so.
	 */
	boolean isTainted(LeaseView lease) {
		KeyState state = state(lease.key());
		for (Grant grant : state.open) {
			if (grant.lease.equals(lease)) {
				return grant.doubtful || state.breaking > 0;
			}
		}
		return state.breaking > 0;
	}

	// Calls

	void begun(Call call) {
		call.waited = true;
		for (String key : call.keys) {
			if (this.calls.stream().noneMatch((open) -> open.clock == call.clock && open.keys.contains(key))) {
				state(key).waitingSince.put(call.clock, call.since);
			}
		}
		this.calls.add(call);
	}

	void ended(Call call) {
		call.ended = true;
		this.calls.remove(call);
		this.calls.stream()
			.filter((open) -> open.isBehind(call))
			.forEach((open) -> open.behindUntil = this.now.getAsLong());
		for (String key : call.keys) {
			state(key).lastCall.put(call.clock, this.now.getAsLong());
			if (call.wantsAlone(key) || call.isSharing(key)) {
				state(key).lastAloneCall = this.now.getAsLong();
			}
		}
	}

	/**
	 * Note that a call ended without an answer, whose command may be under way up to an
	 * instant.
	 */
	void unanswered(Call call, long until) {
		call.keys.forEach((key) -> state(key).askedUntil.merge(call.clock, until, Math::max));
	}

	/**
	 * Check that whoever gave up does not wait any more.
	 * @param waiters how many wait in the process
	 */
	void cancelled(Clock clock, int waiters) {
		int wanted = this.calls.stream()
			.filter((call) -> call.clock == clock && call.what.startsWith("acquire"))
			.mapToInt((call) -> call.keys.size())
			.sum();
		if (waiters > wanted) {
			violated(Rule.LEFTOVER, "%d wait, of whom %d may".formatted(waiters, wanted));
		}
	}

	/**
	 * Note that a server has a lock, or what stands for one.
	 */
	void seenAtServer(String key) {
		state(key).seenAt = this.now.getAsLong();
	}

	/**
	 * Note that a server has a lock for an owner id: since it was granted to that one,
	 * who may not have asked for it by that name yet.
	 */
	void seenAtServer(String key, String ownerId) {
		state(key).seenSince.putIfAbsent(ownerId, this.now.getAsLong());
	}

	/**
	 * Note that a server has a lock that is not shared, or, where there are faults,
	 * somebody in its queue who wants it so.
	 */
	void seenAlone(String key) {
		state(key).seenAloneAt = this.now.getAsLong();
	}

	/**
	 * Check that a call that came to share a key does not pass one that has waited to
	 * have it alone. A process has one place in the queue for all who wait there, and
	 * when its turn comes the key is its own for a slice.
	 * @param unasked for how long a process may not know that others wait
	 * @param approximate by how much the order of a queue may be wrong
	 */
	void joined(Call call, LeaseView lease, long unasked, long approximate) {
		KeyState state = state(lease.key());
		// Of several keys, one may have been joined a while ago.
		boolean joinsNow = state.open.stream()
			.anyMatch((grant) -> !grant.lease.equals(lease) && grant.lease.ownerId().equals(lease.ownerId()));
		boolean joins = joinsNow || call.keys.size() > 1;
		long since = call.waited ? Math.min(call.since, state.waitingSince.getOrDefault(call.clock, call.since))
				: call.since;
		long inTurn = IN_TURN + (joins ? unasked : approximate);
		long turn = joinsNow ? call.clock.worldTime(lease.ownerSince()) : Long.MIN_VALUE;
		long now = this.now.getAsLong();
		// Whoever stood behind one who shares, in his own process, comes to the queue of
		// the store only now, or when that one was told something, or gave up.
		this.calls.stream()
			.filter((open) -> open.wantsAlone(lease.key()) && open.what.equals("acquire")
					&& since > Math.max(open.since, state.sharedSince) + inTurn
					&& (open.clock == call.clock || since > turn + IN_TURN) && now > open.behindUntil + IN_TURN
					&& this.calls.stream()
						.noneMatch((ahead) -> open.isBehind(ahead) && ahead.keys.contains(lease.key())))
			.forEach((open) -> violated(Rule.OVERTAKEN, "%s by %s, token %d".formatted(open, call, lease.token())));
	}

	/**
	 * Check that a call which is told that a key is busy was not told so falsely.
	 * @param patience for how long a command may be under way of which nobody knows
	 * @param taken whether the key is taken now, as nobody may have looked since the call
	 * came
	 */
	void toldBusy(Call call, String key, long patience, BooleanSupplier taken) {
		if (!isExplained(call, key, patience) && !taken.getAsBoolean()) {
			violated(Rule.FALSE_BUSY, "%s told that %s is busy".formatted(call, key));
		}
	}

	/**
	 * Check what a call is told of a key that it cannot have: for how long it waited, and
	 * for how long the holder has had the key at most.
	 */
	void toldWhy(Call call, LockNotAcquiredException told) {
		long passed = this.now.getAsLong() - call.since;
		long waited = told.waited().toNanos();
		if (waited < 0 || waited > passed + passed / 100 + World.MILLI) {
			violated(Rule.MISTOLD, "%s is told that it waited for %d ms".formatted(call, told.waited().toMillis()));
		}
		Duration heldFor = told.heldFor();
		if (heldFor == null || told.holders().isEmpty() || call.isForPermit()) {
			return;
		}
		KeyState state = state(told.key());
		String holder = told.holders().get(0);
		Long asked = state.heldSince.get(holder);
		long longest = Long.MAX_VALUE / 2;
		if (asked != null) {
			longest = this.now.getAsLong() - Math.min(asked, state.seenSince.getOrDefault(holder, asked));
		}
		if (heldFor.isNegative() || heldFor.toNanos() > longest + longest / 100 + SLACK) {
			violated(Rule.MISTOLD, "%s is told that %s is held by %s for %d ms".formatted(call, told.key(),
					told.holders(), heldFor.toMillis()));
		}
	}

	/**
	 * Check what a holder is told who asked for more time: a lease that he has lasts for
	 * that.
	 * @param held whether it is held, as he is told
	 * @param until up to when it is to last, by the clock of the holder
	 */
	void toldExtended(Call call, LeaseView lease, boolean held, long until) {
		long least = until - (until - call.clock.nanoTime()) / 50 - 5 * World.MILLI;
		if (held && lease.deadline() < least) {
			violated(Rule.TERMS, "%s is told that it is extended, which lasts up to %s".formatted(call,
					World.time(call.clock.worldTime(lease.deadline()))));
		}
		if (!held && lease.isActive() && call.clock.nanoTime() < lease.deadline()) {
			violated(Rule.MISTOLD, call + " is told that it is not held");
		}
	}

	/**
	 * Check what a holder is told who gave back a lease.
	 */
	void toldReleased(Call call, LeaseView lease, boolean held) {
		if (held && lease.lossCause() != null) {
			violated(Rule.MISTOLD,
					"%s is told that it was held, and it was lost: %s".formatted(call, lease.lossCause()));
		}
	}

	/**
	 * Check that no permit was free all the time for a call that is told so, neither at a
	 * server nor in its process.
	 */
	void toldAllTaken(Call call) {
		call.keys.stream()
			.filter((slot) -> !call.usedBefore.contains(slot) && !isExplained(call, slot, 0))
			.forEach((slot) -> violated(Rule.FALSE_BUSY,
					"%s told that all are taken, but not %s".formatted(call, slot)));
	}

	private boolean isExplained(Call call, String key, long patience) {
		KeyState state = state(key);
		long since = call.since;
		if (state.askedUntil.getOrDefault(call.clock, Long.MIN_VALUE) >= since) {
			return true;
		}
		if (call.shared) {
			// Others here who waited when this one came may have been told before.
			since = Math.min(since, state.waitingSince.getOrDefault(call.clock, since));
			// A lease may have run out while other keys were waited for.
			boolean ranOut = call.keys.size() > 1 && state.lastHeld >= since;
			return ranOut || state.seenAloneAt >= since || state.lastAlone >= since || state.voteForcedAt >= since
					|| state.lastAloneCall >= since - patience
					|| state.open.stream().anyMatch((grant) -> !grant.shared || grant.maybeAlone)
					|| this.calls.stream().anyMatch((open) -> open.wantsAlone(key) || open.isSharing(key));
		}
		if (state.seenAt >= since || !state.open.isEmpty() || state.lastHeld >= since) {
			return true;
		}
		Long other = state.lastCall.get(call.clock);
		if (other != null && other >= since - patience) {
			return true;
		}
		return this.calls.stream()
			.anyMatch((open) -> open != call && open.clock == call.clock && open.keys.contains(key));
	}

	/**
	 * Return how many permits of a key were held at the same time, at most.
	 */
	int mostPermits() {
		return this.mostPermits;
	}

	/**
	 * Return the leases of a key that rest on no assumption which is broken.
	 */
	List<Grant> promised(String key) {
		KeyState state = this.keys.get(key);
		if (state == null || state.open.isEmpty() || state.breaking > 0) {
			return List.of();
		}
		return state.open.stream().filter((grant) -> !grant.tainted).toList();
	}

	/**
	 * Return the grant of a lease that is out.
	 */
	@Nullable Grant grant(LeaseView lease) {
		return state(lease.key()).open.stream().filter((grant) -> grant.lease.equals(lease)).findFirst().orElse(null);
	}

	/**
	 * Return the grants of leases of an owner id that are out.
	 */
	Stream<Grant> grants(String key, String ownerId) {
		return state(key).open.stream().filter((grant) -> grant.lease.ownerId().equals(ownerId));
	}

	/**
	 * Return whether somebody has a lease of an owner id, as far as its process knows.
	 */
	boolean isHeldBy(String key, String ownerId) {
		KeyState state = this.keys.get(key);
		return state != null && state.open.stream().anyMatch((grant) -> grant.lease.ownerId().equals(ownerId));
	}

	/**
	 * Return whether somebody was told that a lease of an owner id is lost.
	 */
	boolean isLost(String key, String ownerId) {
		KeyState state = this.keys.get(key);
		return state != null && state.lost.contains(ownerId);
	}

	/**
	 * Return whether a call of a process is concerned with a key.
	 */
	boolean isWanted(String key, Clock clock) {
		return this.calls.stream().anyMatch((call) -> call.clock == clock && call.keys.contains(key));
	}

	/**
	 * Return whether a call of another process was concerned with a key since an instant.
	 */
	boolean isWantedElsewhere(String key, Clock clock, long since) {
		return state(key).lastCall.entrySet()
			.stream()
			.anyMatch((last) -> last.getKey() != clock && last.getValue() >= since)
				|| this.calls.stream().anyMatch((call) -> call.clock != clock && call.keys.contains(key));
	}

	/**
	 * Return the calls that have not ended.
	 */
	List<Call> calls() {
		return this.calls;
	}

	// All the time

	void step() {
		for (KeyState state : this.keys.values()) {
			if (!state.open.isEmpty()) {
				step(state);
			}
		}
		this.limits.forEach(this::checkLimit);
		if (!this.told.isEmpty()) {
			checkTold();
		}
		if (!this.losses.isEmpty()) {
			this.losses.step();
		}
		if (!this.calls.isEmpty()) {
			checkCalls();
		}
	}

	private void step(KeyState state) {
		long time = this.now.getAsLong();
		state.lastHeld = time;
		for (Grant grant : state.open) {
			if (!grant.shared || grant.maybeAlone) {
				state.lastAlone = time;
			}
			if (grant.tainted && !isDoubtful(state, grant.clock) && grant.isConfirmed()) {
				grant.tainted = false;
			}
		}
		if (state.open.size() > 1) {
			checkExclusion(state);
		}
		for (Iterator<Grant> grants = state.open.iterator(); grants.hasNext();) {
			Grant grant = grants.next();
			LossCause cause = grant.lease.lossCause();
			if (cause != null) {
				grants.remove();
				lost(state, grant, cause);
			}
			else if (!grant.lease.isActive()) {
				grants.remove();
				state.released.put(grant.lease, grant);
			}
			else if (grant.isHeld()) {
				if (grant.over) {
					violated(Rule.REVIVED, grant + " was over before");
					grants.remove();
				}
			}
			else {
				grant.over = true;
				long overSince = grant.clock.worldTime(grant.lease.deadline());
				if (time > overSince + SLACK && time > grant.clock.runsSince() + SLACK
						&& grant.clock.runsSince() != Long.MAX_VALUE) {
					violated(Rule.LOSS_NOT_TOLD, grant + " is active after its deadline");
					grants.remove();
				}
			}
		}
	}

	private void lost(KeyState state, Grant grant, LossCause cause) {
		boolean forced = takeForce(grant, cause);
		checkForceTold(grant, cause);
		state.lost.add(grant.lease.ownerId());
		grant.cause = cause;
		grant.endedAt = this.now.getAsLong();
		if (!grant.isTold()) {
			this.told.add(grant);
		}
		if (grant.tainted || state.breaking > 0) {
			return;
		}
		if (grant.clock.worldTime(grant.lease.ownerSince()) <= state.forgottenAt) {
			return;
		}
		if (forced) {
			return;
		}
		if (cause != LossCause.EXPIRED) {
			violated(Rule.FALSE_LOSS, grant + " told that it is " + cause);
		}
		else if (grant.lease.isRenewed() && !grant.late) {
			Disturbance disturbance = this.disturbances.get(grant.holder);
			if (disturbance == null || disturbance.until < grant.endedAt - grant.lease.ttl() - SLACK) {
				violated(Rule.FALSE_LOSS, grant + " expired although nothing disturbed its renewal");
			}
		}
	}

	/**
	 * Return whether a loss is the news of a release by force, which comes once.
	 */
	private boolean takeForce(Grant grant, LossCause cause) {
		if (cause != LossCause.FORCED) {
			return false;
		}
		Long then = this.forced.remove(grant.lease.ownerId() + " " + grant.lease.key());
		return then != null && this.now.getAsLong() - then <= LONGEST_NEWS;
	}

	/**
	 * Check that a loss by force is told as such while a server remembers it, unless it
	 * is told because its process has the key for one alone by now.
	 */
	private void checkForceTold(Grant grant, LossCause cause) {
		Long until = this.rememberedForces.remove(grant.lease.ownerId() + " " + grant.lease.key());
		boolean remembered = until != null && this.now.getAsLong() <= until;
		boolean replaced = grant.shared && state(grant.lease.key()).open.stream()
			.anyMatch((other) -> other.clock == grant.clock && other.since == this.now.getAsLong() && !other.shared);
		if (remembered && cause == LossCause.TAKEN && !grant.outlivesRegistry && !replaced) {
			violated(Rule.MISTOLD, grant + " was taken by force, and told that it is " + cause);
		}
	}

	private void checkTold() {
		long time = this.now.getAsLong();
		for (Iterator<Grant> grants = this.told.iterator(); grants.hasNext();) {
			Grant grant = grants.next();
			long runs = grant.clock.runsSince();
			if (runs != Long.MAX_VALUE && time > Math.max(grant.endedAt, runs) + SLACK) {
				violated(Rule.LOSS_NOT_TOLD, grant + " lost (" + grant.cause + ") and nobody was told"
						+ (grant.told ? " by its action" : ""));
				grants.remove();
			}
		}
	}

	private void checkCalls() {
		long time = this.now.getAsLong();
		for (Iterator<Call> open = this.calls.iterator(); open.hasNext();) {
			Call call = open.next();
			long runs = call.clock.runsSince();
			if (call.keys.size() > 1) {
				// Its next attempt is the watchdog's.
				runs = Math.max(runs, this.stalledUntil.getOrDefault(call.clock, runs));
			}
			if (call.until < call.clock.nanoTime() && runs != Long.MAX_VALUE
					&& time > Math.max(call.clock.worldTime(call.until), runs + call.afterPause) + SLACK) {
				violated(Rule.CALL_WITHOUT_END,
						call + " should have ended at " + World.time(call.clock.worldTime(call.until)));
				open.remove();
			}
		}
	}

	private void checkExclusion(KeyState state) {
		List<Grant> open = state.open;
		for (int i = 0; i < open.size(); i++) {
			for (int j = i + 1; j < open.size(); j++) {
				Grant one = open.get(i);
				Grant other = open.get(j);
				if (!(one.shared && other.shared) && !one.tainted && !other.tainted && state.breaking == 0
						&& one.isHeld() && other.isHeld()
						&& state.overlaps.add(one.lease.token() ^ other.lease.token() << 20)) {
					violated(Rule.EXCLUSION, one + " and " + other);
				}
			}
		}
	}

	/**
	 * Each slot excludes others by itself, which says nothing of how many there are.
	 */
	private void checkLimit(String prefix, int limit) {
		List<Grant> held = new ArrayList<>();
		this.keys.forEach((key, state) -> {
			if (key.startsWith(prefix) && state.breaking == 0) {
				state.open.stream().filter((grant) -> !grant.tainted && grant.isHeld()).forEach(held::add);
			}
		});
		this.mostPermits = Math.max(this.mostPermits, held.size());
		if (held.size() > limit) {
			violated(Rule.LIMIT, "%d, and not %d: %s".formatted(held.size(), limit, held));
		}
	}

	boolean isQuiet() {
		return this.calls.isEmpty() && this.told.isEmpty()
				&& this.keys.values().stream().allMatch((state) -> state.open.isEmpty());
	}

	/**
	 * Return what is not over: leases, calls, and losses that were not told.
	 */
	List<String> unfinished() {
		List<String> left = new ArrayList<>();
		this.calls.forEach((call) -> left.add(call.toString()));
		this.told.forEach((grant) -> left.add(grant + " not told"));
		this.keys.values().forEach((state) -> state.open.forEach((grant) -> left.add(grant.toString())));
		return left;
	}

	private KeyState state(String key) {
		KeyState state = this.keys.get(key);
		if (state == null) {
			state = new KeyState();
			this.keys.put(key, state);
		}
		return state;
	}

	private static final class KeyState {

		final List<Grant> open = new ArrayList<>();

		final Map<LeaseView, Grant> released = new HashMap<>();

		// owner ids whose lease was lost
		final Set<String> lost = new HashSet<>();

		final Set<Long> tokens = new HashSet<>();

		// since when each owner id may have had it
		final Map<String, Long> heldSince = new HashMap<>();

		// when a server was seen for the first time that has it for an owner id
		final Map<String, Long> seenSince = new HashMap<>();

		final Set<Long> overlaps = new HashSet<>();

		final Map<Clock, Long> lastCall = new HashMap<>();

		// up to when a command of each process may be under way
		final Map<Clock, Long> askedUntil = new HashMap<>();

		long keptUntil = Long.MIN_VALUE;

		long lastToken;

		// of one who was alone
		long lastExclusive;

		final Set<Long> sharedTokens = new HashSet<>();

		// since when the key is shared without a break
		long sharedSince = Long.MIN_VALUE;

		long voteForcedAt = Long.MIN_VALUE;

		// since when somebody waits without a break, of each process
		final Map<Clock, Long> waitingSince = new HashMap<>();

		long lastAlone = Long.MIN_VALUE;

		long lastAloneCall = Long.MIN_VALUE;

		long seenAloneAt = Long.MIN_VALUE;

		long tokensSince = Long.MIN_VALUE;

		long brokenAt = Long.MIN_VALUE;

		long forgottenAt = Long.MIN_VALUE;

		int breaking;

		long seenAt = Long.MIN_VALUE;

		long lastHeld = Long.MIN_VALUE;

		void beginTokensAnew(long now) {
			this.tokensSince = now;
			this.lastToken = 0;
			this.lastExclusive = 0;
			this.tokens.clear();
			this.sharedTokens.clear();
		}

	}

	private static final class Disturbance {

		private long until = Long.MIN_VALUE;

		private long keptUntil = Long.MIN_VALUE;

		void keptFromServers(long time) {
			this.keptUntil = Math.max(this.keptUntil, time);
		}

		void until(long time) {
			this.until = Math.max(this.until, time);
		}

	}

	@Nullable Grant open(String key) {
		List<Grant> open = state(key).open;
		return open.isEmpty() ? null : open.get(0);
	}

}
