// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Checks that nobody waits for what he could have, whatever the poll interval: since when
 * nobody has a key, neither at a server nor in a process, and who waits for it all the
 * same. Looks at a wait when it ends, and at those that go on.
 */
final class Waiting {

	/**
	 * After that, what is free is somebody's: a few round trips, and by how much clocks
	 * differ that both count the longest ttl.
	 */
	static final long FEW_ROUND_TRIPS = 100 * World.MILLI;

	/**
	 * For how long a key is reserved. In a quorum servers may do so for several.
	 */
	static final long RESERVATION = 250 * World.MILLI;

	/**
	 * For how long a process passes a key on among its own callers, as others wait.
	 */
	static final long SLICE = RegistrySettings.defaults().slice().toNanos();

	private final LongSupplier now;

	private final Outside outside;

	private final BiConsumer<Rule, String> violated;

	private final long longest;

	private final List<Call> calls = new ArrayList<>();

	private final Map<String, KeyState> keys = new HashMap<>();

	private final List<Held> leases = new ArrayList<>();

	// those of several keys, not all of which are there yet
	private final Set<LeaseView> parts = new HashSet<>();

	// the owner ids that had a lease
	private final Set<String> used = new HashSet<>();

	// nothing is judged before
	private long since = Long.MAX_VALUE;

	// how often servers may have changed
	private long changes;

	/**
	 * Create an instance that judges nothing yet.
	 * @param longest how long it may take until somebody has what is free
	 */
	Waiting(LongSupplier now, Outside outside, BiConsumer<Rule, String> violated, long longest) {
		this.now = now;
		this.outside = outside;
		this.violated = violated;
		this.longest = longest;
	}

	/**
	 * Note that nothing goes wrong from now on.
	 */
	void begin() {
		this.since = this.now.getAsLong();
	}

	/**
	 * Note that a message is under way up to an instant, for longer than most. It may be
	 * an answer that tells for how long a key is still taken, which counts from when it
	 * comes.
	 */
	void delayed(long until) {
		if (this.since != Long.MAX_VALUE) {
			this.since = Math.max(this.since, until);
			long delay = until - this.now.getAsLong();
			this.keys.values().forEach((state) -> state.toldLate(delay));
		}
	}

	/**
	 * Return whether nothing went wrong since a call was made, so that it should not
	 * fail.
	 */
	boolean isUndisturbed(Call call) {
		return isLong(Math.max(this.since, reachedSince(call.clock)), call.since);
	}

	/**
	 * Return whether nothing went wrong for a process since an instant, which goes on.
	 */
	boolean isCalm(Clock clock, long instant) {
		return Math.max(this.since, reachedSince(clock)) <= instant;
	}

	/**
	 * Note that a server may have executed something.
	 */
	void changed() {
		this.changes++;
	}

	/**
	 * Note that whoever waits for a key may believe up to an instant that it is taken, as
	 * nobody tells him otherwise.
	 */
	void untold(String key, long until) {
		state(key).untoldUntil = Math.max(state(key).untoldUntil, until);
	}

	/**
	 * Note that a lease is given back, be it over or not: who waits is told by that.
	 */
	void released(String key) {
		state(key).untoldUntil = Math.min(state(key).untoldUntil, this.now.getAsLong());
	}

	void begun(Call call) {
		this.calls.add(call);
	}

	void ended(Call call) {
		if (this.calls.contains(call) && isAcquiring(call)) {
			judge(call);
			// Whose turn it was next may have been his, and is passed on.
			call.keys.forEach((key) -> state(key).leftAt = this.now.getAsLong());
		}
		this.calls.remove(call);
		call.keys.stream()
			.filter((key) -> this.calls.stream().noneMatch((open) -> isAcquiring(open) && open.keys.contains(key)))
			.forEach((key) -> state(key).toldUntil = Long.MIN_VALUE);
	}

	/**
	 * Note that a process was granted a lease, and check that it passes the key on among
	 * its own callers only for as long as nobody else is known to wait.
	 */
	void granted(Clock clock, LeaseView lease, boolean handedOn) {
		this.leases.add(new Held(clock, lease, this.now.getAsLong()));
		this.used.add(lease.ownerId());
		this.parts.add(lease);
		KeyState state = state(lease.key());
		if (!handedOn || lease.isAskedShared() || state.turnOf != clock) {
			state.turnOf = clock;
			state.turnSince = this.now.getAsLong();
			return;
		}
		long latest = this.now.getAsLong() - SLICE;
		for (Call call : List.copyOf(this.calls)) {
			if (call.what.equals("acquire") && call.keys.contains(lease.key()) && call.clock != clock
					&& isLong(Math.max(call.since, Math.max(state.turnSince, this.since)), latest)
					&& isLong(Math.max(reachedSince(call.clock), reachedSince(clock)), latest)) {
				this.calls.remove(call);
				this.violated.accept(Rule.IN_VAIN, "%s waits for a turn of another process that began at %s"
					.formatted(call, World.time(state.turnSince)));
			}
		}
	}

	/**
	 * Return whether an owner id ever had a lease, which may have been lost before it
	 * ends at the servers.
	 */
	boolean isUsed(String ownerId) {
		return this.used.contains(ownerId);
	}

	private long reachedSince(Clock clock) {
		return Math.max(clock.runsSince(), this.outside.reachedSince(clock));
	}

	/**
	 * Note that a caller has a lease, together with all others that it wanted.
	 */
	void delivered(LeaseView lease) {
		this.parts.remove(lease);
	}

	/**
	 * Note that a process ended without a word.
	 */
	void gone(Clock clock) {
		this.calls.removeIf((call) -> call.clock == clock);
		this.leases.removeIf((held) -> held.clock == clock);
	}

	/**
	 * Judge those who wait by what was so up to now, and look what is so from now on.
	 */
	void step() {
		this.leases.removeIf((held) -> !held.lease.isActive());
		if (this.calls.isEmpty()) {
			return;
		}
		Set<String> wanted = new LinkedHashSet<>();
		for (Call call : List.copyOf(this.calls)) {
			if (isAcquiring(call)) {
				judge(call);
				wanted.addAll(call.keys);
			}
		}
		wanted.forEach((key) -> look(key, state(key)));
	}

	private static boolean isAcquiring(Call call) {
		return call.what.startsWith("acquire");
	}

	private void look(String key, KeyState state) {
		long time = this.now.getAsLong();
		state.untoldUntil = state.untoldUntil(time);
		if (state.changes != this.changes) {
			state.changes = this.changes;
			state.taken = this.outside.taken(key);
		}
		else if (state.taken.end <= time) {
			state.taken = Taken.NOT;
		}
		state.toldUntil = Math.max(state.toldUntil, state.taken.end);
		List<Held> held = this.leases.stream().filter((each) -> each.lease.key().equals(key)).toList();
		boolean leasedAlone = !state.taken.shared && held.stream().anyMatch((each) -> !each.lease.isAskedShared());
		boolean wantedAlone = this.calls.stream().anyMatch((call) -> call.wantsAlone(key) || call.isSharing(key));
		state.free.look(time, !held.isEmpty(), state.taken.until);
		state.open.look(time, leasedAlone || wantedAlone, state.taken.aloneUntil);
		boolean waitsForMore = !held.isEmpty() && held.stream().allMatch((each) -> this.parts.contains(each.lease));
		state.partSince = waitsForMore ? held.get(held.size() - 1).since : Long.MAX_VALUE;
	}

	private void judge(Call call) {
		long time = this.now.getAsLong();
		long free = couldHave(call, time);
		long from = Math.max(Math.max(free, call.since), this.since);
		if (isLong(from, time) && isLong(reachedSince(call.clock), time)) {
			this.calls.remove(call);
			this.violated.accept(Rule.IN_VAIN, "%s waits for what is free since %s".formatted(call, World.time(from)));
		}
	}

	private boolean isLong(long since, long time) {
		return since < time - this.longest;
	}

	/**
	 * Return since when nothing is in the way of a call; {@link Long#MAX_VALUE} if
	 * something is.
	 */
	private long couldHave(Call call, long time) {
		if (call.isForPermit()) {
			return call.keys.stream().mapToLong((slot) -> couldHave(call, slot, time)).min().orElse(Long.MAX_VALUE);
		}
		return call.keys.stream().mapToLong((key) -> {
			long part = isPartOfNoMore(call, key) ? state(key).partSince() : Long.MAX_VALUE;
			return Math.min(couldHave(call, key, time), part);
		}).max().orElse(Long.MAX_VALUE);
	}

	/**
	 * Return whether those who want a key together with others want nothing else than a
	 * call: then nothing but keys of that call can be in their way.
	 */
	private boolean isPartOfNoMore(Call call, String key) {
		return call.keys.size() > 1 && this.calls.stream()
			.filter((open) -> isAcquiring(open) && !open.isForPermit() && open.keys.contains(key))
			.allMatch((open) -> call.keys.containsAll(open.keys));
	}

	private long couldHave(Call call, String key, long time) {
		KeyState state = state(key);
		long free = state.free.since(time);
		if (call.shared) {
			free = Math.min(free, state.open.since(time));
		}
		return Math.max(free, Math.max(state.leftAt, state.untoldUntil(time)));
	}

	private KeyState state(String key) {
		return this.keys.computeIfAbsent(key, (absent) -> new KeyState());
	}

	/**
	 * What is so outside of the processes.
	 */
	interface Outside {

		/**
		 * Return up to when servers let somebody have a key.
		 */
		Taken taken(String key);

		/**
		 * Return since when a process reaches the servers, and they reach it;
		 * {@link Long#MAX_VALUE} if they do not.
		 */
		long reachedSince(Clock clock);

	}

	/**
	 * Up to when servers let somebody have a key, in the time of the world.
	 *
	 * @param until up to when anybody
	 * @param aloneUntil up to when somebody who does not share it
	 * @param end when it expires, also if it is only reserved or granted
	 * @param shared whether it is shared
	 */
	record Taken(long until, long aloneUntil, long end, boolean shared) {

		static final Taken NOT = new Taken(Long.MIN_VALUE, Long.MIN_VALUE, Long.MIN_VALUE, false);

		Taken and(Taken other) {
			return new Taken(Math.max(this.until, other.until), Math.max(this.aloneUntil, other.aloneUntil),
					Math.max(this.end, other.end), this.shared || other.shared);
		}

	}

	private record Held(Clock clock, LeaseView lease, long since) {

	}

	private static final class KeyState {

		// of everybody
		private final Freedom free = new Freedom();

		// of those who have it alone, or want to
		private final Freedom open = new Freedom();

		private Taken taken = Taken.NOT;

		private long changes = -1;

		// since when only somebody has it who waits for more
		private long partSince = Long.MAX_VALUE;

		// up to when it would have been taken, as those who wait may have been told
		private long toldUntil = Long.MIN_VALUE;

		// up to when those who wait may believe that it is taken
		private long untoldUntil = Long.MIN_VALUE;

		// which process was granted it last, and since when that passes it on
		private @Nullable Clock turnOf;

		private long turnSince;

		// when a wait for it ended
		private long leftAt = Long.MIN_VALUE;

		/**
		 * Return since when only somebody has it who waits for more: not before the last
		 * one left who was in the way.
		 */
		long partSince() {
			return Math.max(this.partSince, this.leftAt);
		}

		void toldLate(long delay) {
			if (this.taken.end != Long.MIN_VALUE) {
				this.toldUntil = Math.max(this.toldUntil, this.taken.end + delay);
			}
		}

		/**
		 * Return up to when those who wait may believe that it is taken: nobody is told
		 * when it expires.
		 */
		long untoldUntil(long time) {
			boolean expired = this.taken.end != Long.MIN_VALUE && this.taken.end <= time;
			return expired ? Math.max(this.untoldUntil, this.toldUntil) : this.untoldUntil;
		}

	}

	/**
	 * Since when a key is free, as it was looked at last.
	 */
	private static final class Freedom {

		private long since = Long.MAX_VALUE;

		private boolean held;

		private long until = Long.MIN_VALUE;

		void look(long time, boolean held, long until) {
			long before = since(time);
			this.held = held;
			this.until = until;
			if (held || until > time) {
				this.since = Long.MAX_VALUE;
			}
			else {
				this.since = (before != Long.MAX_VALUE) ? before : time;
			}
		}

		/**
		 * Return since when it is free, if it has expired in between, too.
		 */
		long since(long time) {
			return (this.since == Long.MAX_VALUE && !this.held && this.until < time) ? this.until : this.since;
		}

	}

}
