// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.lockstarter.redis.SimulatedStores;
import io.lockstarter.simulation.Violation.Rule;

/**
 * Watches how processes connect to servers: in time, and not too often.
 */
final class Dials {

	/**
	 * How long nobody tries to connect, at most: for a second, and threads may be late.
	 */
	static final long LONGEST_PAUSE = World.SECOND + 4 * Checks.SLACK;

	/**
	 * How many attempts fail within a second, at most: pauses begin with 50 ms, and are
	 * doubled. They begin anew with each connection that worked, which faults may end at
	 * once.
	 */
	static final int MOST_FAILURES = 12;

	/**
	 * How soon a process looks at a primary of which a Sentinel tells.
	 */
	static final long FOLLOWED = 2 * Checks.SLACK;

	private final LongSupplier now;

	private final BiConsumer<Rule, String> violations;

	// to which addresses processes are to be connected all the time
	private final Predicate<String> steady;

	private final int mostFailures;

	private final Map<Jvm, Client> processes = new LinkedHashMap<>();

	/**
	 * Create a watch.
	 * @param steady which addresses processes are to be connected to all the time, apart
	 * from any at all
	 * @param ways how many lines of a process may lead to an address
	 */
	Dials(LongSupplier now, BiConsumer<Rule, String> violations, Predicate<String> steady, int ways) {
		this.now = now;
		this.violations = violations;
		this.steady = steady;
		this.mostFailures = MOST_FAILURES * ways;
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
		long time = this.now.getAsLong();
		way.failures.add(time);
		while (way.failures.element() < time - World.SECOND) {
			way.failures.remove();
		}
		if (way.failures.size() > this.mostFailures) {
			this.violations.accept(Rule.NEEDLESS, "%s fails to connect to %s for the %d. time in a second"
				.formatted(jvm, address, way.failures.size()));
		}
	}

	/**
	 * Note that a process has got ready to send commands over a connection.
	 */
	void ready(Jvm jvm, String address) {
		Way way = process(jvm).way(address);
		way.openSince = (way.open++ == 0) ? this.now.getAsLong() : way.openSince;
	}

	/**
	 * Note that a connection is of no use any more.
	 * @param ready whether its process had got ready to send commands over it
	 */
	void closed(Jvm jvm, String address, boolean ready) {
		process(jvm).way(address).open -= ready ? 1 : 0;
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
	 * Note that a Sentinel tells a process of a primary. Who has none yet looks for it
	 * when he has one.
	 * @param address leads to that
	 */
	void told(Jvm jvm, String address) {
		process(jvm).way(address).toldAt = this.now.getAsLong();
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
		// The first command connects.
		if (!process.ways.isEmpty() && process.ways.values().stream().noneMatch((way) -> way.inUse > 0)) {
			checkIdle(jvm, "any server", process.idle);
		}
		process.ways.forEach((address, way) -> {
			if (this.steady.test(address) && way.inUse == 0) {
				checkIdle(jvm, address, way.idle);
			}
			if (way.toldAt > way.begunAt && time - Math.max(way.toldAt, jvm.runsSince()) > FOLLOWED) {
				checkFollows(jvm, process, address, way.toldAt);
				way.toldAt = Long.MIN_VALUE;
			}
		});
	}

	private void checkFollows(Jvm jvm, Client process, String address, long toldAt) {
		boolean connected = process.ways.entrySet()
			.stream()
			.filter((each) -> each.getKey().startsWith(SimulatedStores.PRIMARY_OF))
			.anyMatch((each) -> each.getValue().open > 0 && each.getValue().openSince < toldAt - Checks.SLACK);
		if (connected) {
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

		Client(Since now) {
			this.idle = now;
		}

		Way way(String address) {
			return this.ways.computeIfAbsent(address, (absent) -> new Way(this.idle));
		}

		void begin(Since now) {
			this.idle = now;
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

		// attempts that are under way, and connections
		private int inUse;

		private int open;

		// since when there has been one all the time
		private long openSince;

		private long begunAt = Long.MIN_VALUE;

		private long toldAt = Long.MIN_VALUE;

		private Since idle;

		Way(Since idle) {
			this.idle = idle;
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
