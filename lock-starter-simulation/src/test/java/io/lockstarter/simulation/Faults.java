// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

import io.lockstarter.simulation.redis.SmallRedis;

/**
 * Lets the faults of a scenario happen, and tells the checks which assumptions are broken
 * by them.
 */
final class Faults {

	private static final long LONGEST_TTL = 5 * World.SECOND;

	private static final Set<Fault> PASSING = EnumSet.of(Fault.CUT, Fault.LAG, Fault.PAUSE, Fault.STALL,
			Fault.FLUSH_SCRIPTS, Fault.PROTECT);

	/**
	 * For which no call fails: a server is asked again over another connection, or says
	 * what it has.
	 */
	private static final Set<Fault> HARMLESS = EnumSet.of(Fault.CUT, Fault.GHOSTS, Fault.FLUSH, Fault.FLUSH_SCRIPTS,
			Fault.CLOCK_FORWARD, Fault.CLOCK_BACK, Fault.FORCE, Fault.VANISH);

	private static final long LONGEST_LAG = 250 * World.MILLI;

	/**
	 * What single keys that vanish begin with, after the hash tag.
	 */
	private static final List<String> KINDS = List.of("lock:", "lock:", "readers:", "readers:", "queue:", "fence",
			"forced:");

	private static final long SEARCH_PAUSE = 3 * World.MILLI;

	private static final int LONGEST_SEARCH = 300;

	/**
	 * How long connections stay at most that are reset time and again: for a command or
	 * two, or until nearly everything is connected.
	 */
	private static final long SHORTEST_CONNECTION = 12 * World.MILLI;

	private static final long LONGEST_CONNECTION = 150 * World.MILLI;

	private final Run run;

	private final World world;

	private final List<Scenario.Occurrence> occurrences;

	// what ends a fault that lasts
	private final List<Event> ending = new ArrayList<>();

	// whose registry is stopped, or will be, and not started again
	private final Set<Jvm> stopping = new HashSet<>();

	private final Map<Jvm, List<Runnable>> forcing = new HashMap<>();

	private int left;

	Faults(Run run) {
		this.run = run;
		this.world = run.world();
		this.occurrences = run.scenario().faults(this.world);
	}

	/**
	 * Return whether nothing goes wrong.
	 */
	boolean isEmpty() {
		return this.occurrences.isEmpty();
	}

	long count(Fault kind) {
		return this.occurrences.stream().map(Scenario.Occurrence::kind).filter(kind::equals).count();
	}

	/**
	 * Return whether only processes and servers were disturbed that are there yet, with
	 * all they knew.
	 */
	boolean leaveNothing() {
		return this.occurrences.stream().map(Scenario.Occurrence::kind).allMatch(PASSING::contains);
	}

	/**
	 * Return whether none of them is a reason for the store to fail.
	 */
	boolean failNoCall() {
		return this.occurrences.stream().map(Scenario.Occurrence::kind).allMatch(HARMLESS::contains);
	}

	void begin() {
		this.left = this.occurrences.size();
		for (Scenario.Occurrence occurrence : this.occurrences) {
			this.world.after(occurrence.at(), "fault", () -> {
				this.left--;
				happen(occurrence);
			});
		}
	}

	boolean areOver() {
		return this.left == 0 && this.stopping.isEmpty()
				&& this.ending.stream().noneMatch((event) -> event.time > this.world.now());
	}

	/**
	 * End whatever goes on.
	 */
	void end() {
		this.run.net().heal();
	}

	/**
	 * Forget what a process was about to do.
	 */
	void crashed(Jvm jvm) {
		this.stopping.remove(jvm);
		List<Runnable> forces = this.forcing.remove(jvm);
		if (forces != null) {
			// What it sent may be executed yet.
			forces.forEach((force) -> this.world.after(5 * World.SECOND, "force ends", force));
		}
	}

	private void happen(Scenario.Occurrence occurrence) {
		SplittableRandom random = occurrence.random();
		Instance instance = this.run.instances().get(random.nextInt(this.run.instances().size()));
		Host host = this.run.servers().hosts().get(random.nextInt(this.run.servers().hosts().size()));
		Jvm jvm = instance.jvm();
		Net net = this.run.net();
		Net.Pair pair = net.pair(jvm, host);
		long duration = duration(random);
		if (this.world.isTracing()) {
			this.world.trace("FAULT %d: %s (%s, %s, %d ms)".formatted(occurrence.number(), occurrence.kind(), instance,
					host, duration / World.MILLI));
		}
		this.world.note(occurrence.kind().name().hashCode());
		disturb(occurrence.kind(), instance, duration);
		switch (occurrence.kind()) {
			case CUT -> net.cut(pair, -1);
			case GHOSTS -> net.cut(pair, random.nextLong(3 * World.SECOND));
			case PARTITION -> partition(pair, true, true, duration);
			case HALF_PARTITION -> partition(pair, (random.nextInt() & 1) == 0, (random.nextInt() & 1) == 0, duration);
			case LAG -> lag(pair, (random.nextInt() & 1) == 0, duration);
			case FREEZE -> freeze(host, duration);
			case REFUSE -> {
				pair.refuses = true;
				net.cut(pair, -1);
				lasts(duration, () -> pair.refuses = false);
			}
			case PAUSE -> jvm.pause(duration);
			case STALL -> {
				instance.platform().stall("watchdog", duration);
				this.run.checks().stalled(jvm, this.world.now() + duration);
			}
			case CRASH -> crash(instance, duration, random);
			case STOP -> stop(instance, duration);
			case RESTART -> restart(host, duration / 4, false, null);
			case FORGET -> restart(host, duration / 4, true, null);
			case OLD_SNAPSHOT -> oldSnapshot(host, duration, random);
			case FLUSH -> flush(host);
			case CLOCK_FORWARD -> clockForward(host, random.nextLong(10_000, 5_000_000));
			case CLOCK_BACK -> clockBack(host, random.nextLong(10_000, 2_000_000));
			case CLOCK_RATE -> {
				this.run.checks().unreliable(jvm);
				jvm.rate(0.5 + random.nextInt(40) / 100.0);
				lasts(duration, () -> {
					jvm.rate(1);
					this.run.checks().reliable(jvm);
				});
			}
			case FLUSH_SCRIPTS -> host.redis().flushScripts();
			case OOM -> {
				host.redis().setMemoryFull(true);
				lasts(duration, () -> host.redis().setMemoryFull(false));
			}
			case FORCE -> force(instance, random);
			case PROMOTE -> this.run.servers().promote(false, duration, random.nextLong(World.SECOND));
			case PROMOTE_ALIVE -> this.run.servers().promote(true, duration, 0);
			case SILENCE -> {
				int directions = random.nextInt(3);
				net.silence(pair, directions != 0, directions != 1, random);
			}
			case VANISH -> vanish(random, LONGEST_SEARCH);
			case PROTECT -> protect(host, duration);
			case REPLACE -> instance.platform().replaceClient();
			case FLICKER -> flicker(pair, random, this.world.now() + duration);
			case STUCK -> pair.stuckUntil = Math.max(pair.stuckUntil, this.world.now() + duration);
			case MOVE_SLOT ->
				this.run.servers().moveSlot(this.run.keys().get(random.nextInt(this.run.keys().size())), random);
		}
	}

	/**
	 * Tell whose renewals may fail: those of the process itself, or of all if it is the
	 * server that does not answer. Renewals go on without memory for more, or scripts.
	 */
	private void disturb(Fault kind, Instance instance, long duration) {
		long until = this.world.now() + duration;
		if (kind == Fault.STOP || kind == Fault.CRASH) {
			// Nobody goes on with what it was about to do.
			this.run.checks().keptFromServers(instance.jvm().toString(), until + LONGEST_TTL);
		}
		switch (kind) {
			case CUT, GHOSTS, PARTITION, HALF_PARTITION, LAG, REFUSE, PAUSE, STALL, CRASH, STOP, CLOCK_RATE, STUCK,
					REPLACE, FLICKER ->
				disturb(instance, until);
			// It is noticed by the next command, which is a renewal if there is a lease.
			case SILENCE -> disturb(instance, this.world.now() + LONGEST_TTL / 3);
			case FREEZE, RESTART, FORGET -> this.run.instances().forEach((each) -> disturb(each, until));
			case OLD_SNAPSHOT, PROMOTE, PROMOTE_ALIVE, MOVE_SLOT ->
				this.run.instances().forEach((each) -> disturb(each, until + World.SECOND));
			// What is sent again may come too late for one that is not missed: a vote.
			case FLUSH_SCRIPTS -> {
				if (this.run.servers().isQuorum()) {
					this.run.instances()
						.forEach((each) -> this.run.checks().disturbed(each.jvm().toString(), this.world.now()));
				}
			}
			case OOM, PROTECT -> this.run.states().refuses(until);
			case FLUSH, CLOCK_FORWARD, CLOCK_BACK, FORCE, VANISH -> {
			}
		}
	}

	/**
	 * Reset the connections of a process and a server.
	 */
	void cut(Instance instance, Host host) {
		disturb(instance, this.world.now());
		this.run.net().cut(this.run.net().pair(instance.jvm(), host), -1);
	}

	/**
	 * Return how long after a fault leases may be lost: the connection may be found dead
	 * after a command timeout, and replaced; the renewal is repeated after a pause of up
	 * to a second.
	 */
	static long recovery(Instance instance) {
		return instance.settings().commandTimeout().toNanos() + Servers.CONNECT_TIMEOUT.toNanos() + 1500 * World.MILLI;
	}

	private void disturb(Instance instance, long until) {
		this.run.checks().disturbed(instance.jvm().toString(), until + recovery(instance));
		this.run.checks().keptFromServers(instance.jvm().toString(), until);
	}

	private static long duration(SplittableRandom random) {
		return switch (random.nextInt(3)) {
			case 0 -> random.nextLong(100 * World.MILLI);
			case 1 -> random.nextLong(World.SECOND);
			default -> random.nextLong(4 * World.SECOND);
		};
	}

	private void lasts(long duration, Runnable end) {
		this.ending.add(this.world.after(duration, "fault ends", end));
	}

	/**
	 * Reset connections again and again, at times with what they carried executed later,
	 * and refuse new ones in between.
	 */
	private void flicker(Net.Pair pair, SplittableRandom random, long until) {
		boolean over = this.world.now() >= until;
		pair.refuses = !over && random.nextInt(3) == 0;
		if (over) {
			return;
		}
		this.run.net().cut(pair, (random.nextInt() & 1) == 0 ? random.nextLong(SHORTEST_CONNECTION) : -1);
		long longest = (random.nextInt(4) == 0) ? LONGEST_CONNECTION : SHORTEST_CONNECTION;
		lasts(random.nextLong(longest), () -> flicker(pair, random, until));
	}

	private void partition(Net.Pair pair, boolean up, boolean down, long duration) {
		this.run.net().block(pair, up || !down, down || !up);
		lasts(duration, () -> this.run.net().block(pair, false, false));
	}

	private void lag(Net.Pair pair, boolean up, long duration) {
		this.run.net().lag(pair, up, LONGEST_LAG);
		lasts(duration, () -> this.run.net().lag(pair, up, 0));
	}

	private void freeze(Host host, long duration) {
		if (host.isUp() && !host.isFrozen()) {
			host.freeze();
			lasts(duration, () -> {
				if (host.isFrozen()) {
					host.unfreeze();
				}
			});
		}
	}

	private void crash(Instance instance, long away, SplittableRandom random) {
		if (!instance.jvm().isAlive()) {
			return;
		}
		instance.crash((random.nextInt(3) == 0) ? random.nextLong(3 * World.SECOND) : 0);
		lasts(away, instance::restart);
	}

	private void stop(Instance instance, long away) {
		Jvm jvm = instance.jvm();
		if (!jvm.isAlive() || !instance.registry().isRunning()) {
			return;
		}
		// It may be paused, and does that later.
		this.stopping.add(jvm);
		jvm.arrive(() -> {
			instance.stop();
			this.run.checks().stopped(jvm);
			lasts(away, () -> jvm.arrive(() -> {
				this.stopping.remove(jvm);
				this.run.started(jvm);
				instance.registry().start();
				instance.start();
			}));
		});
	}

	private void clockForward(Host host, long micros) {
		this.run.broken();
		this.run.servers().losing(host, () -> host.stepClock(micros));
		this.run.states().maybeGrants(host.toString());
	}

	private void clockBack(Host host, long micros) {
		if (!this.run.servers().isQuorum()) {
			this.run.checks().clockSetBack();
		}
		host.stepClock(-micros);
	}

	private void restart(Host host, long away, boolean forgets,
			SmallRedis.@org.jspecify.annotations.Nullable Snapshot old) {
		if (!host.isUp() || !mayForget(host)) {
			return;
		}
		SmallRedis.Snapshot memory = (old != null) ? old : host.redis().snapshot();
		if (forgets || this.run.servers().isQuorum()) {
			this.run.forgets();
		}
		host.down();
		this.run.net().died(host);
		lasts(away, () -> {
			if (forgets || this.run.servers().isQuorum()) {
				this.run.forgets();
			}
			host.up((forgets && old == null) ? SmallRedis.Snapshot.EMPTY : memory);
			if (old != null) {
				this.run.states().maybeGrants(host.toString());
			}
			else if (forgets) {
				emptied(host);
			}
		});
	}

	private void oldSnapshot(Host host, long later, SplittableRandom random) {
		if (!host.isUp()) {
			return;
		}
		SmallRedis.Snapshot memory = host.redis().snapshot();
		long away = random.nextLong(300 * World.MILLI);
		lasts(later, () -> {
			this.run.checks().losses().restored((key) -> true);
			restart(host, away, true, memory);
		});
	}

	/**
	 * Deny the fence of a server. Whoever connects meanwhile to one that was restarted,
	 * or took over, cannot let tokens leap there.
	 */
	private void protect(Host host, long duration) {
		host.redis().setProtected("}fence");
		lasts(duration, () -> {
			host.redis().setProtected(null);
			if (host.takeRefusedLeap()) {
				this.run.keys().forEach(this.run.checks()::tokensBeginAnew);
			}
		});
	}

	private void flush(Host host) {
		if (host.isUp() && mayForget(host)) {
			this.run.forgets();
			this.run.servers().losing(host, () -> host.command("FLUSHALL"));
			emptied(host);
		}
	}

	/**
	 * Whoever lost votes that it had given waits until they would have ended. Clocks of
	 * servers differ a little.
	 */
	private void emptied(Host host) {
		if (this.run.servers().isQuorum()) {
			long abstains = this.run.servers().abstention().toNanos() * 9 / 10;
			this.run.states().emptied(host.toString(), this.run.world().now() + abstains);
		}
	}

	/**
	 * Let a key vanish of a kind that is drawn, as soon as there is one.
	 */
	private void vanish(SplittableRandom random, int tries) {
		vanish(KINDS.get(random.nextInt(KINDS.size())), random, tries);
	}

	private void vanish(String kind, SplittableRandom random, int tries) {
		String vanished = this.run.servers().vanish(kind, random);
		if (vanished == null) {
			if (tries > 0) {
				lasts(SEARCH_PAUSE, () -> vanish(kind, random, tries - 1));
			}
			return;
		}
		String key = vanished.substring(vanished.indexOf('}') + 1 + kind.length());
		switch (kind) {
			case "lock:", "readers:" -> this.run.checks().broken(key);
			case "fence" -> this.run.forgetsFence();
			case "forced:" -> this.run.checks().forgetForces(key);
			default -> {
			}
		}
	}

	/**
	 * Of a quorum only a minority may forget at a time, and whoever forgot counts until
	 * it votes again.
	 */
	private boolean mayForget(Host host) {
		if (!this.run.servers().isQuorum()) {
			return true;
		}
		long others = this.run.servers()
			.hosts()
			.stream()
			.filter((other) -> other != host && !this.run.servers().votes(other))
			.count();
		return others < (this.run.servers().hosts().size() - 1) / 2;
	}

	private void force(Instance instance, SplittableRandom random) {
		Jvm jvm = instance.jvm();
		if (!jvm.isAlive() || !instance.registry().isRunning()) {
			return;
		}
		String key = this.run.keys().get(random.nextInt(this.run.keys().size()));
		jvm.arrive(() -> {
			if (!instance.registry().isRunning()) {
				// It was stopped while its JVM was paused.
				return;
			}
			this.run.checks().forcing(key);
			Runnable mended = new Runnable() {

				private boolean done;

				@Override
				public void run() {
					if (!this.done) {
						this.done = true;
						Faults.this.run.checks().forcingEnds(key);
					}
				}

			};
			this.forcing.computeIfAbsent(jvm, (absent) -> new ArrayList<>()).add(mended);
			var unused = instance.registry().forceRelease(key, null).whenComplete((done, failure) -> {
				if (failure != null) {
					// It may be executed yet.
					this.world.after(5 * World.SECOND, "force ends", mended);
				}
				else {
					mended.run();
				}
			});
		});
	}

}
