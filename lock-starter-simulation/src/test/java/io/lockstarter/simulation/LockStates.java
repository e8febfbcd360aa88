// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.lockstarter.platform.Ticker;
import io.lockstarter.quorum.SimulatedVoters;
import io.lockstarter.simulation.redis.Entry;
import io.lockstarter.simulation.redis.Stored;
import org.jspecify.annotations.Nullable;

/**
 * What the servers of a run have, as the checks want to see it. Looks without a trace,
 * and reads again only what has changed.
 */
final class LockStates implements StateChecks.Servers {

	private static final Set<String> NOBODY = Set.of();

	private final Run run;

	private final Map<String, Map<Host, Seen>> seen = new HashMap<>();

	LockStates(Run run) {
		this.run = run;
	}

	@Override
	public List<String> keys() {
		return this.run.keys();
	}

	@Override
	public long maxTtl() {
		return Servers.MAX_TTL.toNanos();
	}

	@Override
	public long heardSince() {
		return this.run.net().heardSince();
	}

	@Override
	public long reachedSince() {
		return Math.max(this.run.net().connectedAt(), this.run.net().heardSince());
	}

	@Override
	public boolean isQuorum() {
		return this.run.servers().isQuorum();
	}

	@Override
	public int majority() {
		return isQuorum() ? this.run.servers().hosts().size() / 2 + 1 : 1;
	}

	@Override
	public boolean isCalm(Clock clock, long since) {
		return this.run.waiting().isCalm(clock, since);
	}

	@Override
	public VoteChecks.@Nullable Votes votes(Grant grant) {
		for (Instance instance : this.run.instances()) {
			if (instance.jvm() == grant.clock) {
				return SimulatedVoters.votes(instance.store(), grant.lease.key(), grant.lease.ownerId());
			}
		}
		return null;
	}

	@Override
	public List<LockState> states(String key) {
		String lock = this.run.servers().lock(key);
		Map<Host, Seen> seen = this.seen.computeIfAbsent(key, (absent) -> new HashMap<>());
		List<LockState> states = new ArrayList<>();
		for (Host host : this.run.servers().hosts()) {
			if (isQuorum() || this.run.servers().leads(host, lock)) {
				Seen now = seen.computeIfAbsent(host, (absent) -> new Seen(absent, lock, slack()));
				states.add(now.look(!isQuorum() || host.grants()));
			}
		}
		return states;
	}

	/**
	 * Return by how much a key may stay for less than was asked for: the clocks of nodes
	 * tick at different times, and keys move between them.
	 */
	private long slack() {
		return (this.run.scenario().topology() == Topology.CLUSTER) ? World.MILLI : 0;
	}

	@Override
	public @Nullable Clock process(String name) {
		for (Instance instance : this.run.instances()) {
			if (instance.toString().equals(name) && instance.jvm().isAlive()) {
				return instance.jvm();
			}
		}
		return null;
	}

	/**
	 * What a server has of a lock.
	 */
	private static final class Seen {

		private final Host host;

		private final long slack;

		private final String lock;

		private final String readers;

		private final String queue;

		private @Nullable Entry lockSeen;

		private @Nullable Entry readersSeen;

		private @Nullable Entry queueSeen;

		private long clock;

		private LockState state;

		Seen(Host host, String lock, long slack) {
			this.host = host;
			this.slack = slack;
			this.lock = lock;
			this.readers = lock.replace("}lock:", "}readers:");
			this.queue = lock.replace("}lock:", "}queue:");
			this.state = new LockState(host.toString(), "", true, host.rate(), false, Map.of(), NOBODY);
		}

		@SuppressWarnings("ReferenceEquality") // of what is never changed
		LockState look(boolean grants) {
			Entry lock = this.host.redis().peek(this.lock);
			Entry readers = this.host.redis().peek(this.readers);
			Entry queue = this.host.redis().peek(this.queue);
			long clock = this.host.worldTime(0);
			boolean begun = !this.state.memory().equals(memory());
			if (begun || lock != this.lockSeen || readers != this.readersSeen || queue != this.queueSeen
					|| clock != this.clock || grants != this.state.grants()) {
				this.lockSeen = lock;
				this.readersSeen = readers;
				this.queueSeen = queue;
				this.clock = clock;
				this.state = read(grants, lock, readers, queue);
			}
			return this.state;
		}

		private String memory() {
			return this.host.redis().runId() + this.host.redis().replicationId();
		}

		private LockState read(boolean grants, @Nullable Entry lock, @Nullable Entry readers, @Nullable Entry queue) {
			String value = (lock != null && lock.value() instanceof Stored.Text text) ? text.raw() : "!";
			long until = (lock != null) ? Ticker.plus(this.host.expiry(lock), this.slack) : 0;
			boolean shared = value.startsWith("&");
			Map<String, Long> holders = new HashMap<>();
			if (value.equals("&") && readers != null && readers.value() instanceof Stored.Scores scores) {
				for (Stored.Member reader : scores.members()) {
					if (!reader.name().startsWith("!")) {
						holders.put(reader.name(),
								Math.min(until, this.host.worldTime((long) reader.score()) + this.slack));
					}
				}
			}
			else if (!value.startsWith("!") && !value.endsWith("~") && value.length() > 1) {
				holders.put(shared ? value.substring(1) : value.replaceFirst("\\*$", ""), until);
			}
			return new LockState(this.host.toString(), memory(), grants, this.host.rate(), shared, holders,
					waiting(queue), lock != null);
		}

		private static Set<String> waiting(@Nullable Entry queue) {
			if (queue == null || !(queue.value() instanceof Stored.Scores scores)) {
				return NOBODY;
			}
			Set<String> waiting = new HashSet<>();
			scores.members()
				.forEach((member) -> waiting
					.add(member.name().startsWith("!") ? member.name().substring(1) : member.name()));
			return waiting;
		}

	}

}
