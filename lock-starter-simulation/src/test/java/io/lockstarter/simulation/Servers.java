// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import io.lockstarter.engine.LeaseView;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lettuce.core.cluster.SlotHash;
import io.lockstarter.store.LockStore;
import io.lockstarter.quorum.SimulatedVoters;
import io.lockstarter.redis.RedisStoreSettings;
import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.Violation.Rule;
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

	/**
	 * Longer than most commands wait, some of which are given up beside others then.
	 */
	private static final long LONG_MOVE = 700 * World.MILLI;

	private static final Duration SHORTEST_RETENTION = Duration.ofMillis(1);

	private static final Duration ACKNOWLEDGEMENT_TIMEOUT = Duration.ofMillis(50);

	private static final byte[] SUBSCRIBE = "SUBSCRIBE".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] SHARDED_SUBSCRIBE = "SSUBSCRIBE".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] CALL = "EVALSHA".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] BY_FORCE = "+force".getBytes(StandardCharsets.US_ASCII);

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

	/**
	 * By how many microseconds a token may be ahead of the clocks of all servers: many
	 * leaps of 15 s, one after the other, and clocks that are set back.
	 */
	private static final long FURTHEST_AHEAD = 600_000_000;

	private final @Nullable Sentinels sentinels;

	private Host primary;

	private boolean replicates;

	// who ever had which key, as far as replicas know
	private final Set<String> replicated = new HashSet<>();

	// who had each key before the command that is executed
	private Map<String, Holders> before = Map.of();

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
		this.sentinels = (this.topology == Topology.FAILOVER && run.scenario().has(Trait.REPLACED))
				? new Sentinels(run, this.primary) : null;
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
	 * Return whether a process that runs is to be connected to an address: another server
	 * of a cluster may have the slots.
	 */
	boolean isNeeded(String address) {
		return switch (this.topology) {
			case ONE, QUORUM -> true;
			case FAILOVER -> this.sentinels != null && this.sentinels.addresses().contains(address);
			case CLUSTER -> false;
		};
	}

	/**
	 * Return the addresses of the Sentinels, if there are any.
	 */
	List<String> sentinels() {
		return (this.sentinels != null) ? this.sentinels.addresses() : List.of();
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
			case ONE,
					FAILOVER ->
				(this.sentinels != null)
						? SimulatedStores.behind(platform, this.run.net(), this.sentinels.addresses(), settings())
						: SimulatedStores.one(platform, this.run.net(), PRIMARY, settings());
			case CLUSTER -> SimulatedStores.cluster(platform, this.run.net(), this.hosts.get(0).address(), settings());
			case QUORUM -> SimulatedVoters.store(platform, this.run.net(),
					this.hosts.stream().map(Host::address).toList(), settings(), MAX_TTL);
		};
	}

	private boolean isAcknowledged() {
		return this.topology == Topology.FAILOVER && this.run.scenario().has(Trait.ACKNOWLEDGED);
	}

	private RedisStoreSettings settings() {
		RedisStoreSettings settings = SimulatedStores.SETTINGS.withConnectTimeout(CONNECT_TIMEOUT);
		if (isAcknowledged()) {
			settings = settings.withReplicasAcknowledged(1).withAcknowledgementTimeout(ACKNOWLEDGEMENT_TIMEOUT);
		}
		return this.run.scenario().has(Trait.FORGETFUL) ? settings.withFenceRetention(SHORTEST_RETENTION) : settings;
	}

	/**
	 * Return whether an instance hears all signals; of a quorum, those of most servers.
	 */
	boolean hears(String instance) {
		List<String> channels = SimulatedStores.channels(instance, this.topology == Topology.CLUSTER);
		if (isQuorum()) {
			return this.hosts.stream()
				.filter((host) -> host.redis().isHeard(channels.get(0)))
				.count() > this.hosts.size() / 2;
		}
		return channels.stream()
			.allMatch((channel) -> this.hosts.stream().anyMatch((host) -> host.redis().isHeard(channel)));
	}

	/**
	 * Return whether a process has connections that it may take itself for subscribed
	 * over, so that it hears all signals; of a quorum, those of most servers.
	 */
	boolean isSubscribed(Jvm jvm, String instance) {
		List<Wire> wires = this.run.net().wires().stream().filter((wire) -> wire.pair().jvm == jvm).toList();
		List<String> channels = SimulatedStores.channels(instance, this.topology == Topology.CLUSTER);
		if (isQuorum()) {
			return wires.stream()
				.filter((wire) -> wire.isSubscribed(channels.get(0)))
				.map((wire) -> wire.pair().host)
				.distinct()
				.count() > this.hosts.size() / 2;
		}
		return channels.stream().allMatch((channel) -> wires.stream().anyMatch((wire) -> wire.isSubscribed(channel)));
	}

	/**
	 * Return whether a server sends an instance signals.
	 */
	boolean isHeard(String instance) {
		return SimulatedStores.channels(instance, this.topology == Topology.CLUSTER)
			.stream()
			.anyMatch((channel) -> this.hosts.stream().anyMatch((host) -> host.redis().isHeard(channel)));
	}

	/**
	 * Return for how long a release grants a lock, as it was set.
	 */
	Duration grantTerm() {
		return (isQuorum() || isAcknowledged()) ? Duration.ZERO : settings().grantTerm();
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
		if (!this.run.checks().losses().isEmpty()) {
			this.before = holders(host);
		}
	}

	@Override
	public void executed(Host host, Wire wire, List<byte[]> request, Reply reply) {
		if (this.world.isTracing()) {
			this.world.trace("%s executes for %s over %s: %s -> %s".formatted(host, wire.pair().jvm, wire,
					Texts.of(request), Texts.of(reply)));
		}
		look(host);
		this.run.waiting().changed();
		lookForLosses(host, request);
		if (Arrays.equals(request.get(0), SUBSCRIBE) || Arrays.equals(request.get(0), SHARDED_SUBSCRIBE)) {
			this.run.net().subscribed();
			if (!(reply instanceof Reply.Failure)) {
				request.stream()
					.skip(1)
					.forEach((channel) -> wire.subscribed(new String(channel, StandardCharsets.UTF_8)));
			}
		}
		if (request.get(0)[0] == 'E') {
			wire.evaluated();
			if (reply instanceof Reply.Failure) {
				wire.refused();
			}
			if (Arrays.equals(request.get(0), CALL)) {
				if (this.run.reach().called((int) locksOf(request).count(), reply)) {
					this.run.net().putOff(wire);
					wire.refused();
				}
			}
			if (wire.isGivenUp()) {
				lookForStragglers(request);
			}
			lookForForce(host, request, reply);
			lookForRefusedLeap(host, request, reply);
		}
		replicate();
	}

	private static Stream<String> locksOf(List<byte[]> request) {
		return request.stream()
			.map((each) -> new String(each, StandardCharsets.UTF_8))
			.filter((text) -> text.contains("}lock:"));
	}

	/**
	 * Tell the checks who has the keys of which a server lost something.
	 */
	private void lookForLosses(Host host, List<byte[]> request) {
		Losses losses = this.run.checks().losses();
		if (losses.isEmpty()) {
			return;
		}
		Set<String> words = request.stream()
			.map((word) -> new String(word, StandardCharsets.UTF_8))
			.collect(Collectors.toSet());
		holders(host).forEach(
				(key, after) -> losses.seen(key, this.before.getOrDefault(key, Holders.NONE), after, words::contains));
	}

	/**
	 * Return who has each key, as far as a server knows; in a quorum, as most know.
	 */
	private Map<String, Holders> holders(Host host) {
		Map<String, Holders> holders = new LinkedHashMap<>();
		for (int i = 0; i < this.locks.size(); i++) {
			String lock = this.locks.get(i);
			holders.put(this.run.keys().get(i),
					isQuorum() ? Holders.most(
							this.hosts.stream().map((each) -> each.isUp() ? each.holders(lock) : Holders.NONE).toList())
							: host.holders(lock));
		}
		return holders;
	}

	/**
	 * Tell the checks of whatever a server loses by something that happens to it.
	 */
	void losing(Host host, Runnable action) {
		List<Holders> before = this.locks.stream().map(host::holders).toList();
		action.run();
		for (int i = 0; i < this.locks.size(); i++) {
			String key = this.run.keys().get(i);
			Holders after = host.holders(this.locks.get(i));
			boolean shared = before.get(i).alone() == null;
			before.get(i)
				.all()
				.stream()
				.filter((ownerId) -> !after.has(ownerId))
				.sorted()
				.forEach((ownerId) -> this.run.checks().lost(key, ownerId, shared, isQuorum()));
		}
	}

	/**
	 * Delete a key of a kind, whatever lock it belongs to, where it can be deleted.
	 * @return the name of the key; {@code null} if there is none
	 */
	@Nullable String vanish(String kind, SplittableRandom from) {
		List<Map.Entry<Host, String>> found = new ArrayList<>();
		for (Host host : this.hosts) {
			if (host.isUp() && !host.isFrozen() && !host.redis().isReplica() && !this.promoting) {
				host.redis()
					.entries()
					.keySet()
					.stream()
					.filter((key) -> key.substring(key.indexOf('}') + 1).startsWith(kind))
					.forEach((key) -> found.add(Map.entry(host, key)));
			}
		}
		if (found.isEmpty()) {
			return null;
		}
		Host host = found.get(from.nextInt(found.size())).getKey();
		List<String> keys = found.stream().filter((each) -> each.getKey() == host).map(Map.Entry::getValue).toList();
		String key = keys.get(from.nextInt(keys.size()));
		trace(key + " vanishes from " + host);
		losing(host, () -> host.command("DEL", key));
		replicate();
		return key;
	}

	/**
	 * Tell the checks of locks and of places in queues that a call may take whose
	 * connection was given up: nobody knows of them.
	 */
	private void lookForStragglers(List<byte[]> request) {
		List<String> texts = request.stream().map((each) -> new String(each, StandardCharsets.UTF_8)).toList();
		List<String> owners = texts.stream().filter((text) -> text.matches("[^{}: ]+:\\d+")).toList();
		texts.stream()
			.filter((text) -> text.contains("}lock:"))
			.map((lock) -> lock.substring(lock.indexOf("}lock:") + 6))
			.forEach((key) -> owners.forEach((owner) -> this.run.states().straggler(key, owner)));
	}

	/**
	 * Note that a server does not let tokens leap, by the script whose first key is what
	 * it remembers itself by.
	 */
	private static void lookForRefusedLeap(Host host, List<byte[]> request, Reply reply) {
		if (reply instanceof Reply.Failure && request.size() > 3
				&& new String(request.get(3), StandardCharsets.UTF_8).endsWith("}server")) {
			host.refusedLeap();
		}
	}

	/**
	 * Tell the checks of a release by force that found the lock, or a vote for it, and
	 * that is alone in its call.
	 */
	private void lookForForce(Host host, List<byte[]> request, Reply reply) {
		int flags = request.size() - 3;
		if (Arrays.equals(request.get(flags), BY_FORCE) && locksOf(request).count() == 1
				&& reply instanceof Reply.Array array && array.elements().get(0) instanceof Reply.Int held
				&& held.value() == 1) {
			String lock = locksOf(request).findFirst().orElseThrow();
			String key = lock.substring(lock.indexOf("}lock:") + 6);
			if (isQuorum()) {
				this.run.checks().voteForced(key);
			}
			else {
				String ownerId = new String(request.get(flags + 2), StandardCharsets.UTF_8);
				this.run.checks().forced(key, ownerId);
				Long until = host.forcedUntil(lock, ownerId);
				if (until != null) {
					this.run.checks().forceRemembered(key, ownerId, until);
				}
			}
		}
	}

	/**
	 * Return whether a lock is taken now where one would ask for it: at the server that
	 * has it, or at most of those that vote.
	 * @param alone whether that has to be by somebody who shares it with nobody
	 */
	boolean isTaken(String key, boolean alone) {
		String lock = lock(key);
		long taken = this.hosts.stream()
			.filter((host) -> isAsked(host, lock) && (alone ? isAlone(host, lock) : host.exists(lock)))
			.count();
		return taken > (isQuorum() ? this.hosts.size() / 2 : 0);
	}

	/**
	 * Return what the lock of a key is called.
	 */
	String lock(String key) {
		return this.locks.get(this.run.keys().indexOf(key));
	}

	/**
	 * Return whether a server is one of those that are asked for a lock, and nobody is
	 * about to take its place.
	 */
	boolean leads(Host host, String lock) {
		return isAsked(host, lock) && !this.promoting && !this.moving.contains(SlotHash.getSlot(lock));
	}

	/**
	 * Return up to when a lock is taken where one would ask for it.
	 */
	Waiting.Taken taken(String key) {
		String lock = lock(key);
		return this.hosts.stream()
			.filter((host) -> isAsked(host, lock))
			.map((host) -> host.taken(lock, this.run.waiting()::isUsed))
			.reduce(Waiting.Taken.NOT, Waiting.Taken::and);
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
				String key = keys.get(i);
				this.run.checks().seenAtServer(key);
				host.holders(this.locks.get(i))
					.all()
					.forEach((ownerId) -> this.run.checks().seenAtServer(key, ownerId));
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

	/**
	 * Note who has each key, as far as replicas know.
	 */
	private void noteReplicated() {
		if (!isAcknowledged()) {
			return;
		}
		for (Host host : this.hosts) {
			if (host.isUp() && host.redis().isReplica()) {
				holders(host).forEach(
						(key, holders) -> holders.all().forEach((ownerId) -> this.replicated.add(key + " " + ownerId)));
			}
		}
	}

	/**
	 * Check that a replica knew of a lease of which somebody is told.
	 */
	void told(LeaseView lease) {
		long ahead = lease.token() - this.hosts.stream().mapToLong(Host::micros).max().orElseThrow();
		if (ahead > FURTHEST_AHEAD) {
			this.run.checks()
				.violated(Rule.TOKEN_ORDER, "token %d of %s is %d s ahead of all clocks".formatted(lease.token(),
						lease.ownerId(), ahead / 1_000_000));
		}
		if (isAcknowledged() && !this.replicated.contains(lease.key() + " " + lease.ownerId())) {
			this.run.checks()
				.violated(Rule.NOT_REPLICATED, lease.ownerId() + " has " + lease.key() + ", as no replica knows");
		}
	}

	private void replicate(Host host) {
		while (!host.redis().pending().isEmpty()) {
			host.redis().applyReplication(1);
			noteReplicated();
		}
	}

	private void replicate() {
		if (!hasReplica() || this.replicates) {
			return;
		}
		for (Host host : this.hosts) {
			if (host.isUp() && !host.redis().pending().isEmpty()) {
				this.replicates = true;
				boolean slow = this.random.nextInt(16) == 0 && !(isAcknowledged() && isReplicatedInTime());
				long lag = slow ? this.random.nextLong(World.SECOND) : this.random.nextLong(3 * World.MILLI);
				this.world.after(lag, "replicate", () -> {
					this.replicates = false;
					if (host.isUp()) {
						replicate(host);
					}
				});
				return;
			}
		}
	}

	/**
	 * Return whether replicas acknowledge in time: without faults, and where everybody
	 * has to get a lock. Each that does not makes who waits for it try once more.
	 */
	private boolean isReplicatedInTime() {
		return this.run.faultsAreEmpty() || this.run.isProbing();
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
		checks.losses().restored(keys::contains);
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
				noteReplicated();
				this.replicaSince = this.world.now();
				keys.forEach(checks::mended);
				// The next one was not told who went on sharing what he had alone.
				keys.forEach(checks::beganAnew);
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
				noteReplicated();
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
		String lock = lock(key);
		String fence = lock.substring(0, lock.indexOf('}') + 1) + "fence";
		return (host.redis().stored(fence) instanceof Stored.Text last) ? Long.parseLong(last.raw()) : 0;
	}

	private void take(Host next) {
		this.run.checks().losses().restored((key) -> true);
		if (this.cluster != null) {
			this.cluster.failOver(next.redis());
		}
		else {
			next.redis().promote();
			this.primary = next;
			this.run.net().name(PRIMARY, next);
		}
		if (this.sentinels != null) {
			this.sentinels.elected(next);
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
		String lock = lock(key);
		int slot = SlotHash.getSlot(lock);
		if (nodes == null || this.promoting || !this.moving.add(slot)) {
			return;
		}
		List<SmallRedis> others = new ArrayList<>(nodes.nodes());
		others.removeIf((node) -> node.isReplica() || node == nodes.owner(slot));
		SmallRedis target = others.get(from.nextInt(others.size()));
		nodes.startMove(slot, target);
		trace("slot of " + key + " moves to " + target.host());
		long longest = this.run.scenario().has(Trait.BATCHES) ? LONG_MOVE : 300 * World.MILLI;
		long first = from.nextLong(longest);
		this.world.after(first, "move keys", () -> nodes.keysOf(slot).forEach(nodes::moveKey));
		this.world.after(first + from.nextLong(longest), "moved", () -> {
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
