// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.engine.SimulatedRegistry;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * A scenario from its beginning to its end, and what was wrong in it.
 */
final class Run {

	private static final int SHARED_STREAM = 276;

	private static final int RETAINED_STREAM = 961;

	private static final int SHARED_STREAM_OF_QUORUM = 48;

	private static final long MOST_STEPS = 60_000;

	/**
	 * Longer than the callers take, whatever happens to them.
	 */
	private static final long LONGEST = 180 * World.SECOND;

	/**
	 * After that what was released is gone, if no process died and no server was
	 * replaced.
	 */
	private static final long CLEANED_UP = 2500 * World.MILLI;

	/**
	 * After that no key is left that nobody holds: the longest ttl, what may be told late
	 * of it, and a reservation.
	 */
	private static final long TTL_AND_MORE = 7 * World.SECOND;

	/**
	 * How much later it may be with permits: whoever waits for several slots has more
	 * commands under way when a connection is closed, which a server may execute up to 3
	 * s later.
	 */
	private static final long LATE = 2 * World.SECOND;

	/**
	 * After that nothing is left: the longest time for which anybody tries to release
	 * what may be held.
	 */
	private static final long IN_THE_END = 11 * 60 * World.SECOND;

	private final Scenario scenario;

	private final World world;

	private final Checks checks;

	private final Net net;

	// of locks, and then of slots
	private final List<String> keys;

	private final PermitPlan permits;

	private final int shared;

	private final int retained;

	private final Servers servers;

	private final List<Instance> instances = new ArrayList<>();

	private final Map<String, Register> plain = new HashMap<>();

	private final Map<String, Register> fenced = new HashMap<>();

	private final Map<Jvm, Map<Host, Long>> connected = new HashMap<>();

	private final Faults faults;

	private long lastValue;

	private long reuses;

	Run(Scenario scenario, boolean tracing) {
		this.scenario = scenario;
		this.world = new World(scenario.seed(), tracing);
		this.checks = new Checks(this.world::now);
		this.net = new Net(this.world, (jvm, delay) -> this.checks.disturbed(jvm.toString(), this.world.now() + delay),
				this::connected);
		this.permits = new PermitPlan(scenario, this.world);
		this.shared = shared(scenario, this.world);
		this.retained = retained(scenario, this.world);
		this.keys = Stream.concat(locks().stream(), this.permits.slots().stream()).toList();
		this.permits.keys().forEach((key) -> this.checks.permits(key, this.permits.largest(key)));
		this.servers = new Servers(this);
		for (int i = 0; i < scenario.instances(); i++) {
			this.instances.add(new Instance(this, i, Instance.settings(this.world.stream(11, i))));
		}
		this.faults = new Faults(this);
	}

	/**
	 * Draw how many percent of the locks are wanted in shared mode, by streams by which
	 * no seed draws any that tests and documents name for exclusive locks.
	 */
	private static int shared(Scenario scenario, World world) {
		SplittableRandom random = world.stream(SHARED_STREAM,
				(scenario.topology() == Topology.QUORUM) ? SHARED_STREAM_OF_QUORUM : 0);
		int drawn = (random.nextInt(4) == 0) ? 30 + random.nextInt(60) : 0;
		return (scenario.shared() == Scenario.SHARED_DRAWN) ? drawn : scenario.shared();
	}

	/**
	 * Draw how many percent of the locks are retained, by streams by which no seed draws
	 * any that tests and documents name for others.
	 */
	private static int retained(Scenario scenario, World world) {
		SplittableRandom random = world.stream(RETAINED_STREAM, 0);
		int drawn = (random.nextInt(4) == 0) ? 30 + random.nextInt(60) : 0;
		return (scenario.retained() == Scenario.RETAINED_DRAWN) ? drawn : scenario.retained();
	}

	static Run of(Scenario scenario, boolean tracing) {
		Run run = new Run(scenario, tracing);
		run.run();
		run.net.close();
		return run;
	}

	private void run() {
		try {
			if (this.servers.readyAt() > 0) {
				this.instances.forEach((instance) -> instance.registry().start());
				stepTo(this.servers.readyAt());
			}
			long begin = this.world.now();
			this.instances.forEach(Instance::start);
			this.faults.begin();
			while (stepping() && !(isDone() && this.faults.areOver()) && this.world.now() < begin + LONGEST) {
				step();
			}
			this.faults.end();
			settle();
		}
		catch (RuntimeException | Error ex) {
			StringWriter text = new StringWriter();
			ex.printStackTrace(new PrintWriter(text));
			this.checks.violated(Rule.EXCEPTION, text.toString());
		}
		for (Violation violation : this.checks.violations()) {
			this.world.trace(violation.toString());
		}
	}

	private void settle() {
		if (!stepping()) {
			return;
		}
		// Those who wait get the key, or an answer, and what nobody holds expires.
		while (stepping() && !isDone()) {
			step();
		}
		if (this.faults.leaveNothing()) {
			stepTo(this.world.now() + CLEANED_UP);
			this.servers.locksHeld()
				.forEach((left) -> this.checks.violated(Rule.ORPHAN, left + " long before it expires"));
		}
		long setBack = this.servers.hosts().stream().mapToLong(Host::setBack).max().orElse(0);
		long late = this.permits.isEmpty() ? 0 : LATE;
		long last = Math.max(this.world.now(), this.net.lingering());
		stepTo(last + this.servers.readyAt() + TTL_AND_MORE + late + setBack);
		if (!stepping()) {
			return;
		}
		this.servers.locksLeft().forEach((left) -> this.checks.violated(Rule.ORPHAN, left));
		if (this.faults.isEmpty() && !this.servers.isQuorum()) {
			// Whoever is gone, or cannot be reached, leaves its place in a queue; and so
			// does
			// whoever got a majority of a quorum, at the others.
			this.servers.leftovers().forEach((left) -> this.checks.violated(Rule.LEFTOVER, left));
		}
		this.instances.forEach((instance) -> instance.actors().get(0).probe());
		while (stepping() && !isDone()) {
			step();
		}
		stepTo(this.world.now() + IN_THE_END);
		if (!stepping()) {
			return;
		}
		this.servers.leftovers().forEach((left) -> this.checks.violated(Rule.LEFTOVER, left));
		this.checks.unfinished().forEach((left) -> this.checks.violated(Rule.LEFTOVER, left));
		this.instances.forEach((instance) -> SimulatedRegistry.leftovers(instance.registry())
			.forEach((left) -> this.checks.violated(Rule.LEFTOVER, instance + ": " + left)));
		this.world.pending().forEach((event) -> {
			if (event.owner == null || event.owner.isAlive()) {
				this.checks.violated(Rule.LEFTOVER, event.toString());
			}
		});
		this.plain.forEach((key, register) -> checkRegister(Rule.LOST_UPDATE, key, register));
		this.fenced.forEach((key, register) -> checkRegister(Rule.FENCE_BROKEN, key, register));
	}

	private void checkRegister(Rule rule, String key, Register register) {
		String wrong = register.check();
		if (wrong != null) {
			this.checks.violated(rule, key + ": " + wrong);
		}
	}

	private boolean isDone() {
		for (Instance instance : this.instances) {
			if (!instance.isDone()) {
				return false;
			}
		}
		return true;
	}

	private boolean stepping() {
		return this.checks.violations().isEmpty();
	}

	private void stepTo(long time) {
		while (stepping() && this.world.next() <= time) {
			step();
		}
		this.world.passTo(time);
	}

	private void step() {
		if (!this.world.step()) {
			this.checks.violated(Rule.LEFTOVER, "nothing happens any more, but " + this.checks.unfinished());
		}
		this.checks.step();
		if (this.world.steps() > MOST_STEPS) {
			this.checks.violated(Rule.LEFTOVER, "this does not end: " + this.world.pending());
		}
	}

	Scenario scenario() {
		return this.scenario;
	}

	World world() {
		return this.world;
	}

	Checks checks() {
		return this.checks;
	}

	Net net() {
		return this.net;
	}

	Servers servers() {
		return this.servers;
	}

	/**
	 * Return the keys of all locks, and of the slots of permits, each of which is a lock.
	 */
	List<String> keys() {
		return this.keys;
	}

	/**
	 * Return the keys of locks that callers want by themselves.
	 */
	List<String> locks() {
		return IntStream.range(0, this.scenario.keys()).mapToObj((number) -> "k" + number).toList();
	}

	PermitPlan permits() {
		return this.permits;
	}

	void reused() {
		this.reuses++;
	}

	/**
	 * Return how many locks were acquired without a server, as they were retained.
	 */
	long reuses() {
		return this.reuses;
	}

	/**
	 * Return how many percent of the locks are retained when they are released.
	 */
	int retained() {
		return this.retained;
	}

	/**
	 * Return how many percent of the locks are wanted in shared mode.
	 */
	int shared() {
		return this.shared;
	}

	List<Instance> instances() {
		return this.instances;
	}

	Register plain(String key) {
		return this.plain.computeIfAbsent(key, (absent) -> new Register(false));
	}

	Register fenced(String key) {
		return this.fenced.computeIfAbsent(key, (absent) -> new Register(true));
	}

	long nextValue() {
		return ++this.lastValue;
	}

	private void connected(Net.Pair pair) {
		boolean first = this.connected.computeIfAbsent(pair.jvm, (absent) -> new HashMap<>())
			.putIfAbsent(pair.host, this.world.now()) == null;
		if (first && pair.host.isAhead()) {
			// It cannot know that the clock was set, and counts the vote.
			this.keys.forEach((key) -> this.checks.broken(key, pair.host.aheadSince()));
		}
	}

	/**
	 * Return when a process first had a connection to the last of the servers that it
	 * connects to.
	 */
	long connectedAt(Jvm jvm) {
		return this.connected.getOrDefault(jvm, Map.of())
			.values()
			.stream()
			.mapToLong(Long::longValue)
			.max()
			.orElse(Long.MIN_VALUE);
	}

	/**
	 * Return whether a process has got ready with the servers that it needs. Their first
	 * handshake was executed before, but its reply may be late, and in a cluster there is
	 * one for each bucket.
	 */
	boolean isConnected(Jvm jvm) {
		Map<Host, Long> hosts = this.connected.getOrDefault(jvm, Map.of());
		long since = this.world.now() - Servers.CONNECT_TIMEOUT.toNanos();
		return hosts.values().stream().filter((first) -> first <= since).count() >= this.servers.needed();
	}

	/**
	 * Note that a registry is started anew, which waits until it is connected again.
	 */
	void started(Jvm jvm) {
		this.connected.remove(jvm);
	}

	void crashed(Jvm jvm) {
		this.checks.gone(jvm);
		this.faults.crashed(jvm);
	}

	void broken() {
		this.keys.forEach(this.checks::broken);
	}

	/**
	 * Note that a server forgets what it knew.
	 */
	void forgets() {
		this.checks.memoryLost();
		this.keys.forEach(this.servers.isQuorum() ? this.checks::forgotten : this.checks::broken);
		if (this.servers.isQuorum() && !this.servers.clocksAgree()) {
			// Another one's tokens are further ahead than a clock is set when a voter
			// returns.
			this.keys.forEach(this.checks::tokensBeginAnew);
		}
	}

	/**
	 * Note that a call got no lock.
	 * @param probe whether it had to get one
	 */
	void failed(Call call, @Nullable Throwable cause, boolean probe) {
		if (probe) {
			this.checks.violated(Rule.NOT_ACQUIRED, call + ": " + cause);
		}
	}

	/**
	 * Return for how long an instance may count no votes of healthy servers, at most: one
	 * whose own clock was wrong, or that asked nobody while the clocks of several were
	 * set, cannot tell which of them were; and several that were restarted while nobody
	 * was connected abstain at the same time.
	 */
	Duration longestMistrust() {
		long set = this.faults.count(Fault.CLOCK_FORWARD);
		long restarted = this.faults.count(Fault.RESTART) + this.faults.count(Fault.FORGET)
				+ this.faults.count(Fault.OLD_SNAPSHOT);
		return (this.servers.isQuorum() && (this.faults.count(Fault.CLOCK_RATE) > 0 || set + restarted > 1))
				? this.servers.abstention() : Duration.ZERO;
	}

	boolean faultsAreEmpty() {
		return this.faults.isEmpty();
	}

	List<Violation> violations() {
		return this.checks.violations();
	}

}
