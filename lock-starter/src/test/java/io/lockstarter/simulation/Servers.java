// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

import io.lettuce.core.cluster.SlotHash;
import io.lockstarter.store.LockStore;
import io.lockstarter.quorum.SimulatedVoters;
import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.redis.Reply;
import io.lockstarter.simulation.redis.SmallCluster;
import io.lockstarter.simulation.redis.SmallRedis;
import io.lockstarter.simulation.redis.Stored;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a topology, and the stores that lead to them.
 */
final class Servers implements Host.Watcher {

	static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);

	/**
	 * Longer than any ttl of the callers.
	 */
	static final Duration MAX_TTL = Duration.ofSeconds(6);

	/**
	 * By how many microseconds tokens leap on a server that takes over.
	 */
	private static final long LEAP = 15_000_000;

	/**
	 * For how long a server that was a primary is a replica, at least. A fail-over and
	 * another one back take longer; a command that is under way for a shorter time may
	 * not ask who it comes to.
	 */
	private static final long LEAST_AS_REPLICA = 500 * World.MILLI;

	private static final byte[] RELEASE_BY_FORCE = "release-by-force".getBytes(StandardCharsets.US_ASCII);

	/**
	 * The name that leads to the primary.
	 */
	private static final String PRIMARY = "redis:6379";

	private final Run run;

	private final World world;

	private final Topology topology;

	private final List<Host> hosts = new ArrayList<>();

	private final List<String> locks = new ArrayList<>();

	private final Set<Integer> moving = new HashSet<>();

	// while a replica takes the place of a primary
	private boolean promoting;

	// since when a server that lived on is a replica
	private long replicaSince = -LEAST_AS_REPLICA;

	private final SplittableRandom random;

	private final @Nullable SmallCluster cluster;

	private Host primary;

	private boolean replicates;

	Servers(Run run) {
		this.run = run;
		this.world = run.world();
		this.topology = run.scenario().topology();
		this.random = this.world.stream(10, 0);
		boolean isCluster = this.topology == Topology.CLUSTER;
		run.keys().forEach((key) -> this.locks.add(SimulatedStores.lock(key, isCluster)));
		int count = this.topology.servers(this.world.stream(12, 0));
		for (int i = 0; i < count; i++) {
			double rate = 1 + (this.random.nextInt(3) - 1) * 0.004;
			long offset = this.random.nextLong(-5_000_000, 5_000_000);
			if (hasReplica()) {
				// Whoever takes over has to count as the other one did.
				rate = 1;
				offset = i * this.random.nextLong(1000);
			}
			Host host = new Host(this.world, i, rate, offset, this);
			this.hosts.add(host);
			run.net().name(host.address(), host);
		}
		this.primary = this.hosts.get(0);
		run.net().name(PRIMARY, this.primary);
		this.cluster = isCluster ? cluster() : null;
		if (this.topology == Topology.FAILOVER) {
			this.hosts.get(1).redis().replicaOf(this.primary.redis());
		}
	}

	/**
	 * The last server is a replica of one that has a lock.
	 */
	private SmallCluster cluster() {
		List<SmallRedis> nodes = new ArrayList<>(this.hosts.stream().map(Host::redis).toList());
		SmallRedis replica = nodes.remove(nodes.size() - 1);
		SmallCluster made = new SmallCluster(nodes);
		String lock = this.locks.get(this.random.nextInt(this.locks.size()));
		made.add(replica);
		replica.replicaOf(Objects.requireNonNull(made.owner(SlotHash.getSlot(lock))));
		return made;
	}

	private boolean hasReplica() {
		return this.topology == Topology.FAILOVER || this.topology == Topology.CLUSTER;
	}

	/**
	 * Return when callers may begin.
	 */
	long readyAt() {
		return (this.topology == Topology.QUORUM) ? abstention().toNanos() + World.SECOND / 2 : 0;
	}

	/**
	 * Return how many servers a process has to be connected to until it is.
	 */
	int needed() {
		return switch (this.topology) {
			case ONE, FAILOVER -> 1;
			case CLUSTER -> this.hosts.size() - 1;
			case QUORUM -> this.hosts.size();
		};
	}

	/**
	 * Return for how long a server of a quorum grants nothing that may have forgotten
	 * something.
	 */
	Duration abstention() {
		return SimulatedVoters.abstention(MAX_TTL);
	}

	LockStore store(JvmPlatform platform) {
		return switch (this.topology) {
			case ONE, FAILOVER -> SimulatedStores.one(platform, this.run.net(), PRIMARY, CONNECT_TIMEOUT);
			case CLUSTER ->
				SimulatedStores.cluster(platform, this.run.net(), this.hosts.get(0).address(), CONNECT_TIMEOUT);
			case QUORUM -> SimulatedVoters.store(platform, this.run.net(),
					this.hosts.stream().map(Host::address).toList(), CONNECT_TIMEOUT, MAX_TTL);
		};
	}

	List<Host> hosts() {
		return this.hosts;
	}

	Host primary() {
		return this.primary;
	}

	boolean isQuorum() {
		return this.topology == Topology.QUORUM;
	}

	/**
	 * Return whether the clocks of voters agree as tokens need it.
	 */
	boolean clocksAgree() {
		LongSummaryStatistics clocks = this.hosts.stream().mapToLong(Host::micros).summaryStatistics();
		return clocks.getMax() - clocks.getMin() <= MAX_TTL.toNanos() / 1000;
	}

	/**
	 * Return whether a server of a quorum votes.
	 */
	boolean votes(Host host) {
		return host.isUp() && !host.exists("{lock}joining") && host.exists("{lock}server");
	}

	@Override
	public void before(Host host) {
		look(host);
	}

	@Override
	public void executed(Host host, Wire wire, List<byte[]> request, Reply reply) {
		if (this.world.isTracing()) {
			this.world.trace("%s executes for %s over %s: %s -> %s".formatted(host, wire.pair().jvm, wire,
					Texts.of(request), Texts.of(reply)));
		}
		look(host);
		if (request.get(0)[0] == 'E') {
			wire.evaluated();
			lookForForce(request, reply);
		}
		if (host.isAhead() && host.exists("{lock}joining")) {
			host.abstains();
		}
		replicate();
	}

	/**
	 * Tell the checks of a release by force that found the lock, or a vote for it, and
	 * that is alone in its call: the key is the second one, and the name follows it and
	 * the id of the replication.
	 */
	private void lookForForce(List<byte[]> request, Reply reply) {
		if (request.size() == 8 && Arrays.equals(request.get(6), RELEASE_BY_FORCE) && reply instanceof Reply.Array array
				&& array.elements().get(0) instanceof Reply.Int held && held.value() == 1) {
			String lock = new String(request.get(4), StandardCharsets.UTF_8);
			String key = lock.substring(lock.indexOf("}lock:") + 6);
			if (isQuorum()) {
				this.run.checks().voteForced(key);
			}
			else {
				this.run.checks().forced(key, new String(request.get(7), StandardCharsets.UTF_8));
			}
		}
	}

	/**
	 * Return whether a lock is taken now where one would ask for it: at the server that
	 * has it, or at most of those that vote.
	 * @param alone whether that has to be by somebody who shares it with nobody
	 */
	boolean isTaken(String key, boolean alone) {
		String lock = this.locks.get(this.run.keys().indexOf(key));
		long taken = this.hosts.stream()
			.filter((host) -> isAsked(host, lock) && (alone ? isAlone(host, lock) : host.exists(lock)))
			.count();
		return taken > (isQuorum() ? this.hosts.size() / 2 : 0);
	}

	private boolean isAsked(Host host, String lock) {
		boolean leads = (this.cluster != null) ? this.cluster.owner(SlotHash.getSlot(lock)) == host.redis()
				: isQuorum() || host == this.primary;
		return leads && host.isUp();
	}

	private void look(Host host) {
		List<String> keys = this.run.keys();
		for (int i = 0; i < keys.size(); i++) {
			if (host.exists(this.locks.get(i))) {
				this.run.checks().seenAtServer(keys.get(i));
			}
			if (this.run.shared() > 0 && isAlone(host, this.locks.get(i))) {
				this.run.checks().seenAlone(keys.get(i));
			}
		}
	}

	/**
	 * Return whether somebody has a lock, or may have it next, who shares it with nobody.
	 * Without faults nobody stays in a queue whose caller does not wait.
	 */
	private boolean isAlone(Host host, String lock) {
		if (host.exists(lock) && !host.isShared(lock)) {
			return true;
		}
		return !this.run.faultsAreEmpty() && host.queued(lock).stream().anyMatch((member) -> !member.startsWith("!"));
	}

	private void replicate() {
		if (!hasReplica() || this.replicates) {
			return;
		}
		for (Host host : this.hosts) {
			if (host.isUp() && !host.redis().pending().isEmpty()) {
				this.replicates = true;
				long lag = (this.random.nextInt(16) == 0) ? this.random.nextLong(World.SECOND)
						: this.random.nextLong(3 * World.MILLI);
				this.world.after(lag, "replicate", () -> {
					this.replicates = false;
					if (host.isUp()) {
						host.redis().applyReplication(Integer.MAX_VALUE);
					}
				});
				return;
			}
		}
	}

	// What happens to servers

	/**
	 * Promote the replica, which may not know the latest locks.
	 * @param lives whether its primary goes on meanwhile
	 * @param alive until when its primary is a replica
	 * @param away for how long nobody is the primary
	 */
	void promote(boolean lives, long alive, long away) {
		Host next = find((host) -> host.redis().isReplica());
		if (next == null || this.promoting || !this.moving.isEmpty()
				|| this.world.now() + away < this.replicaSince + LEAST_AS_REPLICA) {
			return;
		}
		Host old = Objects.requireNonNull(find((host) -> host.redis() == next.redis().primary()));
		this.promoting = true;
		List<String> keys = keysOf(old);
		Checks checks = this.run.checks();
		if (lives) {
			long leapt = next.micros() + LEAP;
			keys.forEach(checks::breaking);
			List<String> unused = keys.stream().filter((key) -> fence(old, key) == 0).toList();
			if (this.cluster != null) {
				this.cluster.cutOff(old.redis());
			}
			take(next);
			this.world.after(alive, "demote", () -> {
				if (this.cluster != null) {
					this.cluster.reconnect(old.redis());
				}
				// Both began ahead of their clocks, and nobody knows which of them first.
				unused.stream().filter((key) -> fence(old, key) > 0).forEach(checks::tokensBeginAnew);
				// Somebody was led back, and the old one leapt once more.
				keys.stream()
					.filter((key) -> fence(next, key) >= leapt && fence(old, key) > fence(next, key))
					.forEach(checks::tokensBeginAnew);
				old.redis().replicaOf(next.redis());
				this.replicaSince = this.world.now();
				keys.forEach(checks::mended);
				this.promoting = false;
				trace(old + " is a replica");
			});
		}
		else {
			old.down();
			this.run.net().died(old);
			keys.forEach(checks::broken);
			this.world.after(away, "promote", () -> {
				keys.forEach(checks::broken);
				take(next);
			});
			this.world.after(away + alive, "start", () -> {
				old.up(old.redis().snapshot());
				old.redis().replicaOf(next.redis());
				this.promoting = false;
				trace(old + " is started as a replica");
			});
		}
	}

	private @Nullable Host find(Predicate<Host> wanted) {
		return this.hosts.stream().filter(wanted).findFirst().orElse(null);
	}

	/**
	 * Return the last token that a server handed out for a lock of where this one is, or
	 * 0.
	 */
	private long fence(Host host, String key) {
		String lock = this.locks.get(this.run.keys().indexOf(key));
		String fence = lock.substring(0, lock.indexOf('}') + 1) + "fence";
		return (host.redis().stored(fence) instanceof Stored.Text last) ? Long.parseLong(last.raw()) : 0;
	}

	private void take(Host next) {
		if (this.cluster != null) {
			this.cluster.failOver(next.redis());
		}
		else {
			next.redis().promote();
			this.primary = next;
			this.run.net().name(PRIMARY, next);
		}
		trace(next + " is the primary");
	}

	/**
	 * Return the keys whose locks a primary has.
	 */
	private List<String> keysOf(Host host) {
		SmallCluster nodes = this.cluster;
		if (nodes == null) {
			return this.run.keys();
		}
		List<String> keys = new ArrayList<>();
		for (int i = 0; i < this.locks.size(); i++) {
			if (nodes.owner(SlotHash.getSlot(this.locks.get(i))) == host.redis()) {
				keys.add(this.run.keys().get(i));
			}
		}
		return keys;
	}

	/**
	 * Move the slot of a key to another server.
	 */
	void moveSlot(String key, SplittableRandom from) {
		SmallCluster nodes = this.cluster;
		String lock = this.locks.get(this.run.keys().indexOf(key));
		int slot = SlotHash.getSlot(lock);
		if (nodes == null || this.promoting || !this.moving.add(slot)) {
			return;
		}
		List<SmallRedis> others = new ArrayList<>(nodes.nodes());
		others.removeIf((node) -> node.isReplica() || node == nodes.owner(slot));
		SmallRedis target = others.get(from.nextInt(others.size()));
		nodes.startMove(slot, target);
		trace("slot of " + key + " moves to " + target.host());
		long first = from.nextLong(300 * World.MILLI);
		this.world.after(first, "move keys", () -> nodes.keysOf(slot).forEach(nodes::moveKey));
		this.world.after(first + from.nextLong(300 * World.MILLI), "moved", () -> {
			nodes.keysOf(slot).forEach(nodes::moveKey);
			nodes.endMove(slot);
			this.moving.remove(slot);
			trace("slot of " + key + " has moved to " + target.host());
		});
	}

	private void trace(String line) {
		if (this.world.isTracing()) {
			this.world.trace(line);
		}
	}

	// What is left

	/**
	 * Return the locks that servers have.
	 */
	List<String> locksLeft() {
		return keysLeft((key) -> key.contains("}lock:") || key.contains("}readers:"));
	}

	/**
	 * Return the locks that servers have for a holder.
	 */
	List<String> locksHeld() {
		return locksLeft().stream().filter((left) -> !left.contains(" = !") && !left.endsWith("~")).toList();
	}

	/**
	 * Return what servers have that should not stay.
	 */
	List<String> leftovers() {
		return keysLeft((key) -> !key.endsWith("}fence") && !key.endsWith("}server"));
	}

	private List<String> keysLeft(Predicate<String> chosen) {
		List<String> left = new ArrayList<>();
		for (Host host : this.hosts) {
			if (host.isUp()) {
				host.redis().entries().forEach((key, entry) -> {
					if (chosen.test(key)) {
						left.add(host + " has " + key + " = " + entry.value());
					}
				});
			}
		}
		return left;
	}

}
