// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.Violation.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Watches how processes connect to servers: in time, and not too often.
 */
final class Dials {

	/**
	 * How long nobody tries to connect, at most: for a second, and threads may be late.
	 */
	static final long LONGEST_PAUSE = World.SECOND + 4 * Checks.SLACK;

	/**
	 * How many attempts of the two lines of a slot fail within a second, at most: pauses
	 * begin with 50 ms, and are doubled. They begin anew with each connection that
	 * worked, which faults may end at once: one works after three round trips.
	 */
	static final int MOST_FAILURES = 16;

	/**
	 * How soon a process looks at a primary of which a Sentinel tells.
	 */
	static final long FOLLOWED = 2 * Checks.SLACK;

	/**
	 * How long a process keeps a connection beside the one that replaces it, at most.
	 */
	static final long REPLACED = 4 * Checks.SLACK;

	/**
	 * How often commands of a process are put off within a second, as a slot is being
	 * moved: all that were sent at once, after rests of 50 ms and more.
	 */
	static final int MOST_PUT_OFF = 100;

	/**
	 * After a connection that lasted for longer than this, also by the clock of the
	 * process, commands wait for another one.
	 */
	static final long LASTED = World.SECOND + 2 * Checks.SLACK;

	/**
	 * How long they do so at least: for a second, by a clock that may go fast.
	 */
	static final long PATIENCE = World.SECOND * 8 / 10;

	/**
	 * After that a process knows that it is subscribed nowhere any more.
	 */
	static final long DEAF = 4 * Checks.SLACK;

	private final LongSupplier now;

	private final BiConsumer<Rule, String> violations;

	// to which addresses processes are to be connected all the time
	private final Predicate<String> steady;

	// to which of them each process connects when it has a server
	private final List<String> sentinels;

	private final int mostOpen;

	private final int mostFailures;

	// how long each process waits for an answer
	private final ToLongFunction<Jvm> patience;

	private final Map<Jvm, Client> processes = new LinkedHashMap<>();

	/**
	 * Create a watch.
	 * @param steady which addresses processes are to be connected to all the time, apart
	 * from any at all
	 * @param sentinels those of them that each process is to be connected to beside its
	 * server
	 * @param ways how many lines of a process may lead to an address
	 * @param patience for how long a process waits for an answer, at least, until it
	 * gives up a connection
	 */
	Dials(LongSupplier now, BiConsumer<Rule, String> violations, Predicate<String> steady, List<String> sentinels,
			int ways, ToLongFunction<Jvm> patience) {
		this.now = now;
		this.violations = violations;
		this.steady = steady;
		this.sentinels = sentinels;
		// A slot may have a line apart, for commands that must not wait for replicas.
		this.mostOpen = 2 * ways;
		this.mostFailures = MOST_FAILURES * ways;
		this.patience = patience;
	}

	/**
	 * Note that a process tries to connect.
	 * @param attempt completes when it has a connection, or none
	 */
	void begun(Jvm jvm, String address, CompletableFuture<?> attempt) {
		Way way = process(jvm).way(address);
		way.begunAt = this.now.getAsLong();
		way.inUse++;
		var unused = attempt.whenComplete((connection, failure) -> {
			if (failure != null) {
				ended(jvm, address);
				failed(jvm, address, way);
			}
		});
	}

	private void failed(Jvm jvm, String address, Way way) {
		count(way.failures);
		if (way.failures.size() > this.mostFailures) {
			this.violations.accept(Rule.NEEDLESS, "%s fails to connect to %s for the %d. time in a second"
				.formatted(jvm, address, way.failures.size()));
		}
	}

	private void count(Deque<Long> withinASecond) {
		long time = this.now.getAsLong();
		withinASecond.add(time);
		while (withinASecond.element() < time - World.SECOND) {
			withinASecond.remove();
		}
	}

	/**
	 * Note that a process has got ready to send commands over a connection.
	 */
	void ready(Jvm jvm, String address) {
		Client process = process(jvm);
		Way way = process.way(address);
		process.hasBeenReady = true;
		way.opened = new Since(this.now.getAsLong(), jvm.nanoTime());
		way.openSince = (way.open++ == 0) ? this.now.getAsLong() : way.openSince;
		way.tooManySince = (way.open == this.mostOpen + 1) ? this.now.getAsLong() : way.tooManySince;
	}

	/**
	 * Note that a connection is of no use any more.
	 * @param ready whether its process had got ready to send commands over it
	 */
	void closed(Jvm jvm, String address, boolean ready) {
		Client process = process(jvm);
		Way way = process.way(address);
		way.open -= ready ? 1 : 0;
		// A line apart may have lost nothing yet.
		boolean last = ready && way.open == 0 && way.begunAt <= way.opened.time();
		if (last && this.now.getAsLong() - way.opened.time() > LASTED && jvm.nanoTime() - way.opened.local() > LASTED) {
			process.lost = new Since(this.now.getAsLong(), jvm.nanoTime());
		}
		ended(jvm, address);
	}

	private void ended(Jvm jvm, String address) {
		Client process = process(jvm);
		Way way = process.way(address);
		way.inUse--;
		way.idle = new Since(this.now.getAsLong(), jvm.nanoTime());
		process.idle = way.idle;
	}

	/**
	 * Note that a Sentinel tells a process of a primary. Who has none yet looks for the
	 * last one when he has one.
	 * @param address leads to that
	 */
	void told(Jvm jvm, String address) {
		Client process = process(jvm);
		process.toldAt = this.now.getAsLong();
		process.way(address).toldAt = this.now.getAsLong();
	}

	private static boolean isNamed(String address) {
		return address.startsWith(SimulatedStores.PRIMARY_OF);
	}

	/**
	 * Note that a call was not executed, or not all of it, as a slot is being moved.
	 */
	void putOff(Jvm jvm, String address) {
		Way way = process(jvm).way(address);
		count(way.putOff);
		if (way.putOff.size() > MOST_PUT_OFF) {
			this.violations.accept(Rule.NEEDLESS,
					"%s is put off by %s for the %d. time in a second".formatted(jvm, address, way.putOff.size()));
		}
	}

	/**
	 * Note that a process is told that a command was not sent for want of a connection.
	 * Of several servers each has had its own time.
	 */
	void unsent(Jvm jvm) {
		Client process = process(jvm);
		Since lost = process.lost;
		boolean one = process.ways.size() == 1 + this.sentinels.size();
		if (one && lost != null && this.now.getAsLong() - lost.time() < PATIENCE
				&& jvm.nanoTime() - lost.local() < PATIENCE
				&& process.ways.values().stream().allMatch((way) -> way.open == 0)) {
			this.violations.accept(Rule.IN_VAIN, jvm + " does not wait for another connection");
		}
	}

	/**
	 * Note that a process closes a connection whose last calls are not answered. It may
	 * take it for silent if a command had half of its time there, or more.
	 * @param waits for how long it has waited for the first of them, by its own clock
	 * @param steady for how long no command was sent that was sent before, and that may
	 * be given up for what another connection did
	 */
	void givesUp(Jvm jvm, String address, long waits, long steady) {
		long patience = this.patience.applyAsLong(jvm);
		if (waits < patience / 2 && steady > patience) {
			this.violations.accept(Rule.NEEDLESS, "%s gives up a connection to %s which it waits for since %d us"
				.formatted(jvm, address, waits / World.MICRO));
		}
	}

	/**
	 * Note that a process is subscribed, although nobody may look before it no longer is.
	 */
	void hears(Jvm jvm) {
		process(jvm).deafSince = Long.MAX_VALUE;
	}

	/**
	 * Compare what a process believes with where it is subscribed.
	 * @param believes whether it believes that it hears all signals
	 * @param subscribed whether it has connections for that
	 */
	void look(Jvm jvm, boolean believes, BooleanSupplier subscribed) {
		Client process = process(jvm);
		long time = this.now.getAsLong();
		if (!believes || jvm.runsSince() == Long.MAX_VALUE || subscribed.getAsBoolean()) {
			process.deafSince = Long.MAX_VALUE;
			return;
		}
		process.deafSince = Math.min(process.deafSince, time);
		if (time - Math.max(process.deafSince, jvm.runsSince()) > DEAF) {
			this.violations.accept(Rule.MISTOLD, "%s believes that it hears signals, and is not subscribed since %s"
				.formatted(jvm, World.time(process.deafSince)));
			process.deafSince = time;
		}
	}

	/**
	 * Look at a process that is to be connected, or is not.
	 */
	void look(Jvm jvm, boolean running) {
		Client process = process(jvm);
		long time = this.now.getAsLong();
		if (!running || jvm.runsSince() == Long.MAX_VALUE) {
			process.begin(new Since(time, jvm.nanoTime()));
			return;
		}
		// The first connection to its server leads to the others.
		if (process.hasBeenReady) {
			Since now = new Since(time, jvm.nanoTime());
			this.sentinels.forEach((address) -> process.ways.computeIfAbsent(address, (absent) -> new Way(now)));
		}
		if (!process.ways.isEmpty() && process.ways.values().stream().noneMatch((way) -> way.inUse > 0)) {
			checkIdle(jvm, "any server", process.idle);
		}
		process.ways.forEach((address, way) -> {
			if (way.open > this.mostOpen && time - Math.max(way.tooManySince, jvm.runsSince()) > REPLACED) {
				this.violations.accept(Rule.NEEDLESS,
						"%s keeps %d connections to %s".formatted(jvm, way.open, address));
				way.tooManySince = time;
			}
			if (this.steady.test(address) && way.inUse == 0) {
				checkIdle(jvm, address, way.idle);
			}
			if (way.toldAt > way.begunAt && time - Math.max(way.toldAt, jvm.runsSince()) > FOLLOWED) {
				checkFollows(jvm, process, address, way);
			}
		});
	}

	private void checkFollows(Jvm jvm, Client process, String address, Way way) {
		long since = process.primarySince();
		boolean connectedBefore = since < way.toldAt - Checks.SLACK;
		boolean last = way.toldAt == process.toldAt;
		boolean connectedLater = since > way.toldAt && last;
		if (connectedLater && this.now.getAsLong() - Math.max(since, jvm.runsSince()) <= FOLLOWED) {
			return;
		}
		way.toldAt = Long.MIN_VALUE;
		if (connectedBefore || connectedLater) {
			this.violations.accept(Rule.IN_VAIN,
					"%s does not look at %s, of which it was told".formatted(jvm, address));
		}
	}

	/**
	 * Check for how long there is no attempt, also by the clock of the process, which may
	 * go slowly.
	 */
	private void checkIdle(Jvm jvm, String address, Since since) {
		long begin = Math.max(since.time(), jvm.runsSince());
		if (this.now.getAsLong() - begin > LONGEST_PAUSE && jvm.nanoTime() - since.local() > LONGEST_PAUSE) {
			this.violations.accept(Rule.NO_REASON,
					"%s is not connected to %s, and does not try, since %s".formatted(jvm, address, World.time(begin)));
		}
	}

	private Client process(Jvm jvm) {
		return this.processes.computeIfAbsent(jvm,
				(absent) -> new Client(new Since(this.now.getAsLong(), jvm.nanoTime())));
	}

	private static final class Client {

		private final Map<String, Way> ways = new LinkedHashMap<>();

		private Since idle;

		private boolean hasBeenReady;

		// since when it has heard nothing, and believes that it would
		private long deafSince = Long.MAX_VALUE;

		// its last connection
		private @Nullable Since lost;

		// when a Sentinel told of a primary
		private long toldAt;

		Client(Since now) {
			this.idle = now;
		}

		Way way(String address) {
			return this.ways.computeIfAbsent(address, (absent) -> new Way(this.idle));
		}

		private List<Way> toPrimaries() {
			return this.ways.entrySet()
				.stream()
				.filter((each) -> isNamed(each.getKey()) && each.getValue().open > 0)
				.map(Map.Entry::getValue)
				.toList();
		}

		/**
		 * Return since when it has had a connection to a primary that a Sentinel named;
		 * {@link Long#MAX_VALUE} if it has none.
		 */
		long primarySince() {
			return toPrimaries().stream().mapToLong((way) -> way.openSince).min().orElse(Long.MAX_VALUE);
		}

		void begin(Since now) {
			this.idle = now;
			this.lost = null;
			this.ways.values().forEach((way) -> way.idle = now);
			this.ways.values().forEach((way) -> way.toldAt = Long.MIN_VALUE);
		}

	}

	/**
	 * From a process to an address.
	 */
	private static final class Way {

		// within a second
		private final Deque<Long> failures = new ArrayDeque<>();

		private final Deque<Long> putOff = new ArrayDeque<>();

		// attempts that are under way, and connections
		private int inUse;

		private int open;

		// since when there has been one all the time
		private long openSince;

		// the last of them
		private Since opened;

		// since when there are more than lead anywhere
		private long tooManySince;

		private long begunAt = Long.MIN_VALUE;

		private long toldAt = Long.MIN_VALUE;

		private Since idle;

		Way(Since idle) {
			this.idle = idle;
			this.opened = idle;
		}

	}

	/**
	 * An instant.
	 *
	 * @param time in the time of the world
	 * @param local by the clock of the process
	 */
	private record Since(long time, long local) {

	}

}
