// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.lockstarter.engine.RegistrySettings;
import io.lockstarter.engine.SimulatedRegistry;
import io.lockstarter.quorum.SimulatedVoters;
import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.Violation.Rule;
import io.lockstarter.store.LockStore;
import org.jspecify.annotations.Nullable;

/**
 * A scenario from its beginning to its end, and what was wrong in it.
 */
final class Run {

	private static final int SHARED_STREAM = 276;

	private static final int SHARED_STREAM_OF_QUORUM = 48;

	private static final int POLL_STREAM = 56268261;

	private static final int AFTERMATH_STREAM = 493016454;

	/**
	 * So rarely that no signal that was lost is found by it.
	 */
	private static final Duration RARE_POLL = Duration.ofMinutes(5);

	/**
	 * By then no server's clock is behind the tokens that another one handed out first:
	 * those are 15 s ahead, and clocks differ by up to 10 s.
	 */
	private static final long FIRST_TOKENS = 25 * World.SECOND;

	private static final long MOST_STEPS = 60_000;

	/**
	 * What is wrong with a lease, or at a server, stays so for more events than these.
	 */
	private static final long LOOK_AFTER = 4;

	/**
	 * Who waits without a reason does so for more events than these.
	 */
	private static final long LOOK_FOR_REASONS = 16;

	/**
	 * How often the callers of a process want a lock in such a run.
	 */
	private static final int OPERATIONS = 4;

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
	 * After that whoever was told something has gone on.
	 */
	private static final long DONE = 300 * World.MILLI;

	/**
	 * How many timers a process has of a kind, whatever happened: the next of each that
	 * repeats something.
	 */
	private static final long MOST_TIMERS = 3;

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

	/**
	 * After that connections are closed that are not needed any more.
	 */
	private static final long CLOSED = 5 * World.SECOND;

	/**
	 * How long nobody leads when nothing goes wrong any more: a silent connection is
	 * found out and replaced, a lease that nobody holds expires, and who led before
	 * pauses.
	 */
	private static final long LEADS_WITHIN = 20 * World.SECOND;

	/**
	 * What may be taken for something else.
	 */
	private static final List<String> NAMES = List.of("k", "1 2* 3", "{x}y", "i0:1", "a%20/b", "*~&!");

	private final Scenario scenario;

	private final World world;

	private final Checks checks;

	private final StateChecks states;

	private final Waiting waiting;

	private final Reasons reasons;

	private final Net net;

	// of locks, and then of slots
	private final List<String> keys;

	private final List<String> locks;

	private final PermitPlan permits;

	private final int shared;

	private final int vanishing;

	private final Servers servers;

	private final List<Instance> instances = new ArrayList<>();

	private final Map<String, Register> plain = new HashMap<>();

	private final Map<String, Register> fenced = new HashMap<>();

	private final Map<Jvm, Map<Host, Long>> connected = new HashMap<>();

	private final Faults faults;

	private final Reach reach = new Reach();

	private long lastValue;

	private boolean probing;

	Run(Scenario scenario, boolean tracing) {
		this.scenario = scenario;
		this.world = new World(scenario.seed(), tracing);
		this.checks = new Checks(this.world::now);
		this.states = new StateChecks(this.world::now, this.checks, new LockStates(this));
		this.waiting = new Waiting(this.world::now, new Surroundings(), this.checks::violated,
				Waiting.FEW_ROUND_TRIPS + ((scenario.topology() == Topology.QUORUM) ? Waiting.RESERVATION : 0));
		this.reasons = new Reasons(this.world::now, this.checks::violated);
		this.net = new Net(this.world, scenario.has(Trait.BATCHES), this.reach, new Delays(), this::connected,
				this.states::forced);
		this.permits = new PermitPlan(scenario, this.world);
		this.shared = shared(scenario, this.world);
		this.vanishing = scenario.vanishing(this.world);
		this.locks = nameLocks();
		Stream<String> leader = scenario.has(Trait.LEADING) ? Stream.of(Candidate.KEY) : Stream.empty();
		this.keys = Stream.of(locks().stream(), this.permits.slots().stream(), leader).flatMap((each) -> each).toList();
		this.permits.keys().forEach((key) -> this.checks.permits(key, this.permits.largest(key)));
		this.servers = new Servers(this);
		this.net
			.watch(new Dials(this.world::now, this.checks::violated, this.servers::isNeeded, this.servers.sentinels(),
					SimulatedStores.channels("", scenario.topology() == Topology.CLUSTER).size(), this::patience));
		for (int i = 0; i < scenario.instances(); i++) {
			RegistrySettings settings = Instance.settings(this.world.stream(11, i));
			this.instances.add(new Instance(this, i, pollsRarely() ? settings.withPollInterval(RARE_POLL) : settings));
		}
		this.faults = new Faults(this);
	}

	/**
	 * Return for how long a process waits for an answer, at least, before it takes a
	 * connection for dead, by its own clock. Where connections are left for other
	 * reasons, commands wait before they are written, or a server that votes is not
	 * waited for, that is no time at all.
	 */
	private long patience(Jvm jvm) {
		boolean leaves = this.scenario.has(Trait.REPLACED) || this.scenario.has(Trait.BATCHES)
				|| this.servers.isQuorum();
		return this.instances.stream()
			.filter((instance) -> !leaves && instance.jvm() == jvm && instance.registry().isRunning())
			.mapToLong((instance) -> instance.settings().commandTimeout().toNanos())
			.findFirst()
			.orElse(0);
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
	 * Draw whether nobody polls, in a while that matters, by a stream by which no seed
	 * does that tests and documents name for others.
	 */
	boolean pollsRarely() {
		return this.world.stream(POLL_STREAM, 0).nextInt(4) == 0;
	}

	/**
	 * Draw whether callers go on when all faults are over.
	 */
	private boolean hasAftermath() {
		return !this.faults.isEmpty()
				&& (this.scenario.has(Trait.ALIKE) || this.world.stream(AFTERMATH_STREAM, 0).nextInt(4) == 0);
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
			this.instances.forEach(this::checkSettings);
			this.instances.forEach(Instance::start);
			this.faults.begin();
			if (this.faults.isEmpty() && !mayWaitForReplicas()) {
				this.waiting.begin();
			}
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
		if (this.scenario.has(Trait.LEADING)) {
			endElections();
		}
		if (this.faults.isEmpty() && stepping()) {
			stepTo(this.world.now() + DONE);
			timersLeft();
			leftInMemory();
			this.instances.forEach(this::doubtsLeft);
		}
		// A stray vote of a quorum lasts for a ttl; without a disturbance state checks
		// find it.
		if (this.faults.leaveNothing() && !this.servers.isQuorum()) {
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
		leftInMemory();
		if (!this.faults.isEmpty() && longestAbstention().isZero() && !mayWaitForReplicas()) {
			this.waiting.begin();
		}
		probe();
		if (hasAftermath()) {
			this.instances.forEach((instance) -> instance.actors().forEach(Actor::goOn));
			while (stepping() && !isDone()) {
				step();
			}
		}
		stepTo(this.world.now() + IN_THE_END);
		if (this.scenario.has(Trait.FORGETFUL)) {
			// By now the fence has expired.
			probe();
			stepTo(this.world.now() + IN_THE_END);
		}
		leftAtTheEnd();
		// Each question has a connection of its own.
		this.net.watch(null);
		if (!mayWaitForReplicas()) {
			new Inspector(this).act();
		}
		stepTo(this.world.now() + IN_THE_END);
		leftAtTheEnd();
		if (!stepping()) {
			return;
		}
		pending();
		close();
		this.plain.forEach((key, register) -> checkRegister(Rule.LOST_UPDATE, key, register));
		this.fenced.forEach((key, register) -> checkRegister(Rule.FENCE_BROKEN, key, register));
	}

	/**
	 * Check that nothing is left that belongs to nobody.
	 */
	private void leftAtTheEnd() {
		if (!stepping()) {
			return;
		}
		this.servers.leftovers().forEach((left) -> this.checks.violated(Rule.LEFTOVER, left));
		this.checks.unfinished().forEach((left) -> this.checks.violated(Rule.LEFTOVER, left));
		leftInMemory();
	}

	/**
	 * See somebody lead now that nothing goes wrong any more, and nobody in the end.
	 */
	private void endElections() {
		List<Candidate> candidates = this.instances.stream()
			.map(Instance::wantsToLead)
			.filter(Objects::nonNull)
			.toList();
		if (!stepUntil(() -> candidates.stream().anyMatch(Candidate::isLeader),
				LEADS_WITHIN + longestAbstention().toNanos())) {
			this.checks.violated(Rule.LEADER, "nobody leads, and nothing goes wrong any more");
		}
		CompletableFuture<?> ended = CompletableFuture
			.allOf(candidates.stream().map(Candidate::end).toArray(CompletableFuture<?>[]::new));
		if (!stepUntil(ended::isDone, LEADS_WITHIN)) {
			this.checks.violated(Rule.LEADER, "an election was stopped, and does not end");
		}
	}

	/**
	 * Check that a process is in no doubt, as nothing went wrong: neither of its places
	 * in queues, nor of keys that it had.
	 */
	private void doubtsLeft(Instance instance) {
		Stream
			.concat(SimulatedRegistry.doubts(instance.registry()).stream(),
					SimulatedVoters.held(instance.store()).stream())
			.forEach((left) -> this.checks.violated(Rule.LEFTOVER, instance + ": " + left));
	}

	/**
	 * Check that nothing waits for those who are gone: a process has a few timers, and
	 * not one for each who waited.
	 */
	private void timersLeft() {
		Map<String, Long> timers = new TreeMap<>();
		this.world.pending()
			.stream()
			.filter((event) -> event.owner != null && event.owner.isAlive() && event.what.startsWith("lock-"))
			.forEach((event) -> timers.merge(event.owner + " " + event.what, 1L, Long::sum));
		timers.forEach((what, count) -> {
			if (count > MOST_TIMERS) {
				this.checks.violated(Rule.LEFTOVER, "%d timers of %s".formatted(count, what));
			}
		});
	}

	boolean stepUntil(BooleanSupplier goal, long longest) {
		long until = this.world.now() + longest;
		while (stepping() && !goal.getAsBoolean() && this.world.next() <= until) {
			step();
		}
		return !stepping() || goal.getAsBoolean();
	}

	private void pending() {
		this.world.pending().forEach((event) -> {
			if (event.owner == null || event.owner.isAlive()) {
				this.checks.violated(Rule.LEFTOVER, event.toString());
			}
		});
	}

	/**
	 * Stop all registries, which leave no subscription, and close their stores, which
	 * leave no connection, and nothing that is done later. In a cluster a subscription
	 * goes with its connection.
	 */
	private void close() {
		stop((instance) -> instance.registry().stop());
		if (this.scenario.topology() != Topology.CLUSTER) {
			this.instances.stream()
				.filter((instance) -> this.servers.isHeard(instance.registry().instanceId()))
				.forEach((instance) -> this.checks.violated(Rule.LEFTOVER,
						instance + " is subscribed, although its registry was stopped"));
		}
		stop(Instance::closeStore);
		this.instances.stream()
			.filter((instance) -> instance.platform().openClients() != 0)
			.forEach((instance) -> this.checks.violated(Rule.LEFTOVER,
					"%d clients of %s are not shut down".formatted(instance.platform().openClients(), instance)));
		this.net.wires()
			.forEach((wire) -> this.checks.violated(Rule.LEFTOVER, wire + " is left by a store that was closed"));
		pending();
	}

	private void stop(Consumer<Instance> stopping) {
		this.instances.forEach((instance) -> instance.jvm().arrive(() -> stopping.accept(instance)));
		stepTo(this.world.now() + CLOSED);
	}

	/**
	 * Return whether what is acquired is given back if no replica has acknowledged it.
	 */
	private boolean mayWaitForReplicas() {
		return this.scenario.has(Trait.ACKNOWLEDGED);
	}

	private void probe() {
		this.probing = true;
		this.instances.forEach((instance) -> instance.actors().get(0).probe());
		while (stepping() && !isDone()) {
			step();
		}
	}

	/**
	 * Check that a store does as it was told.
	 */
	private void checkSettings(Instance instance) {
		LockStore store = instance.store();
		if (!store.grantTerm().equals(this.servers.grantTerm()) || !store.isShareable() || store
			.partitions() != SimulatedStores.channels("", this.scenario.topology() == Topology.CLUSTER).size()) {
			this.checks.violated(Rule.TERMS, "%s grants for %s, has %d parts, and %s".formatted(instance,
					store.grantTerm(), store.partitions(), store.isShareable() ? "shares" : "does not share"));
		}
	}

	/**
	 * Look why somebody waits in a process.
	 */
	private void lookForReasons(Instance instance) {
		Jvm jvm = instance.jvm();
		if (!jvm.isAlive() || !instance.registry().isRunning()) {
			return;
		}
		boolean listening = SimulatedRegistry.isListening(instance.registry());
		this.reasons.look(jvm, SimulatedRegistry.waits(instance.registry()), listening,
				instance.settings().pollInterval().toNanos());
		for (Call call : List.copyOf(this.checks.calls())) {
			if (call.clock == jvm && call.what.startsWith("acquire") && this.reasons.mustListen(call)
					&& this.waiting.isUndisturbed(call)) {
				this.reasons.listens(call, listening && this.servers.hears(instance.registry().instanceId()));
			}
		}
	}

	private void lookAtConnections(Instance instance) {
		Jvm jvm = instance.jvm();
		boolean running = jvm.isAlive() && instance.registry().isRunning();
		this.net.look(jvm, running);
		this.net.look(jvm, running && SimulatedRegistry.isListening(instance.registry()),
				() -> this.servers.isSubscribed(jvm, instance.registry().instanceId()));
	}

	private void leftInMemory() {
		this.instances.forEach((instance) -> SimulatedVoters.leftovers(instance.store())
			.forEach((left) -> this.checks.violated(Rule.LEFTOVER, instance + ": " + left)));
		this.instances.forEach((instance) -> SimulatedRegistry.leftovers(instance.registry())
			.forEach((left) -> this.checks.violated(Rule.LEFTOVER, instance + ": " + left)));
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

	/**
	 * Let time pass, as long as nothing is wrong.
	 */
	void passFor(long time) {
		stepTo(this.world.now() + time);
	}

	private void stepTo(long time) {
		while (stepping() && this.world.next() <= time) {
			step();
		}
		this.world.passTo(time);
	}

	private long mostSteps() {
		return MOST_STEPS * Math.max(1, this.scenario.actors() * this.scenario.operations() / OPERATIONS);
	}

	private void step() {
		if (!this.world.step()) {
			this.checks.violated(Rule.LEFTOVER, "nothing happens any more, but " + this.checks.unfinished());
		}
		this.checks.step();
		if (this.world.steps() % LOOK_AFTER == 0) {
			this.states.step();
		}
		if (this.world.steps() % LOOK_FOR_REASONS == 0) {
			this.instances.forEach(this::lookForReasons);
			this.instances.forEach(this::lookAtConnections);
		}
		this.waiting.step();
		this.instances.forEach((instance) -> {
			instance.asked().step();
			Candidate candidate = instance.wantsToLead();
			if (candidate != null) {
				candidate.step();
			}
		});
		if (this.world.steps() > mostSteps()) {
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

	StateChecks states() {
		return this.states;
	}

	Waiting waiting() {
		return this.waiting;
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
		return this.locks;
	}

	private List<String> nameLocks() {
		List<String> names = IntStream.range(0, this.scenario.keys())
			.mapToObj((number) -> this.scenario.has(Trait.NAMED) ? NAMES.get(number) : "k" + number)
			.toList();
		return (this.scenario.has(Trait.BATCHES) && this.scenario.topology() == Topology.CLUSTER)
				// One with a hash tag is where that says.
				? names.stream().map((name) -> name.contains("{") ? name : SimulatedStores.inFirstBucket(name)).toList()
				: names;
	}

	PermitPlan permits() {
		return this.permits;
	}

	/**
	 * Note that a key stays for the rest of a minimum hold.
	 */
	void keeps(String key) {
		if (this.servers.isQuorum()) {
			// Who is told so by most may ask the last one before it is.
			this.waiting.untold(key, this.world.now() + Servers.MAX_TTL.toNanos());
		}
	}

	/**
	 * Note that a lease is given back. In a quorum that of one that is over wakes nobody.
	 */
	void released(String key) {
		if (!this.servers.isQuorum()) {
			this.waiting.released(key);
		}
	}

	/**
	 * Return what happened how often.
	 */
	Reach reach() {
		return this.reach;
	}

	/**
	 * Return how many single keys vanish.
	 */
	int vanishing() {
		return this.vanishing;
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

	/**
	 * Reset the connections of a process and a server.
	 */
	void cut(Instance instance, Host host) {
		this.faults.cut(instance, host);
	}

	private void connected(Net.Pair pair) {
		this.connected.computeIfAbsent(pair.jvm, (absent) -> new HashMap<>()).putIfAbsent(pair.host, this.world.now());
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
		this.waiting.gone(jvm);
		this.faults.crashed(jvm);
	}

	void broken() {
		this.keys.forEach(this.checks::broken);
	}

	/**
	 * Note that a server forgets what it knew.
	 */
	void forgets() {
		forgetsTokens();
		this.keys.forEach(this.servers.isQuorum() ? this.checks::forgotten : this.checks::broken);
	}

	/**
	 * Note that a server forgets which tokens it handed out.
	 */
	private void forgetsTokens() {
		this.checks.memoryLost();
		if (this.servers.isQuorum() && !this.servers.clocksAgree()) {
			// Another one's tokens are further ahead than a clock is set when a voter
			// returns.
			this.keys.forEach(this.checks::tokensBeginAnew);
		}
	}

	/**
	 * Note that a server forgets which tokens it handed out, and nothing else: of a
	 * quorum it votes on. Then it leaps ahead of its own clock, and so not of what
	 * another one handed out that did so before, if that one's clock is ahead; as all do
	 * with their first tokens.
	 */
	void forgetsFence() {
		boolean leaptBefore = this.servers.isQuorum()
				&& (this.checks.hasLostMemory() || this.world.now() < FIRST_TOKENS);
		forgetsTokens();
		if (leaptBefore) {
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
	 * Return for how long an instance may get no votes of healthy servers, at most:
	 * several that were restarted while nobody was connected abstain at the same time.
	 */
	Duration longestAbstention() {
		long restarted = this.faults.count(Fault.RESTART) + this.faults.count(Fault.FORGET)
				+ this.faults.count(Fault.OLD_SNAPSHOT);
		return (this.servers.isQuorum() && restarted > 1) ? this.servers.abstention() : Duration.ZERO;
	}

	/**
	 * Return whether nothing goes wrong for which the store could fail.
	 */
	boolean failsNoCall() {
		return this.faults.failNoCall() && !mayWaitForReplicas();
	}

	boolean faultsAreEmpty() {
		return this.faults.isEmpty();
	}

	/**
	 * Return whether faults are over, and everybody has to get a lock.
	 */
	boolean isProbing() {
		return this.probing;
	}

	List<Violation> violations() {
		return this.checks.violations();
	}

	/**
	 * What is so outside of processes, for those who wait there.
	 */
	private final class Surroundings implements Waiting.Outside {

		@Override
		public Waiting.Taken taken(String key) {
			return Run.this.servers.taken(key);
		}

		@Override
		public long reachedSince(Clock clock) {
			Jvm jvm = (Jvm) clock;
			int connected = Run.this.connected.getOrDefault(jvm, Map.of()).size();
			if (connected < Run.this.servers.needed()) {
				return Long.MAX_VALUE;
			}
			// A process that connects anew hears nothing for a moment: of its own places,
			// and of those that it left behind, which are granted all the same.
			return Math.max(Run.this.net.connectedAt() + StateChecks.GRANT_TERM,
					Math.max(connectedAt(jvm), Run.this.net.heardSince()));
		}

	}

	private final class Delays implements Net.Slowness {

		@Override
		public void delayed(Jvm jvm, long delay) {
			long until = Run.this.world.now() + delay;
			Run.this.checks.disturbed(jvm.toString(), until);
			Run.this.checks.keptFromServers(jvm.toString(), until);
			Run.this.waiting.delayed(until);
		}

		/**
		 * Until that is found out, further renewals over the connection are lost, too.
		 */
		@Override
		public void unanswered(Jvm jvm) {
			instances().stream()
				.filter((instance) -> instance.jvm() == jvm)
				.forEach((instance) -> Run.this.checks.disturbed(jvm.toString(),
						Run.this.world.now() + Faults.recovery(instance)));
		}

	}

}
