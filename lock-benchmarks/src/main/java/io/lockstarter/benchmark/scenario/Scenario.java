// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.benchmark.scenario;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.lockstarter.benchmark.contender.Contender;
import io.lockstarter.benchmark.contender.Topology;

/**
 * Everything that is measured.
 */
// Immutable all the same: records of constants, and sets that nobody changes.
@SuppressWarnings("ImmutableEnumChecker")
public enum Scenario {

	SOLO(Load.ownKeys(1), Who.WITHOUT_POLLING),

	SPREAD(Load.ownKeys(32), Who.WITHOUT_POLLING),

	SPREAD_VIRTUAL(Load.ownKeys(256), Who.SELECTED),

	HOT(Load.oneKey(1, 32, Duration.ZERO), Who.LOCKS),

	HOT_JVMS(Load.oneKey(4, 8, Duration.ofNanos(100_000)), Who.LOCKS),

	HAND_OVER(Load.of(Work.PING_PONG, 2, 1), Who.LOCKS),

	WAITING(Load.of(Work.WAITING, 2, 100), Who.WITHOUT_VARIANTS),

	HOLDING(Load.of(Work.HOLDING, 1, 10_000), EnumSet.of(Contender.STARTER, Contender.REDISSON)),

	SOAK(new Load(Work.SOAK, 1, 32, false, Duration.ZERO), Who.ONE_OF_EACH),

	GROWTH_KEYS(Load.of(Work.KEYS_ONCE, 1, 32), Who.ONE_OF_EACH),

	GROWTH_REFUSED(Load.of(Work.REFUSED, 1, 8), EnumSet.of(Contender.STARTER)),

	GROWTH_CANCELLED(Load.of(Work.CANCELLED, 1, 1), EnumSet.of(Contender.STARTER)),

	COLD_START(Load.of(Work.COLD_START, 6, 1), EnumSet.of(Contender.STARTER, Contender.TEXTBOOK)),

	START_UP(Load.of(Work.START_UP, 1, 1), Who.IN_SERVICES),

	START_UP_EXTRACTED(START_UP.load, Who.IN_SERVICES),

	START_UP_SHARED(START_UP.load, Who.IN_SERVICES),

	PERMITS_FREE(new Load(Work.PERMITS, 1, 1, false, Duration.ZERO), Who.WITH_PERMITS),

	PERMITS(new Load(Work.PERMITS, 4, 8, false, Duration.ZERO), Who.WITH_PERMITS),

	READ_FREE(new Load(Work.READS, 1, 1, false, Duration.ZERO), Who.WITH_READ_LOCKS),

	READ_WRITE(new Load(Work.READS_AND_WRITES, 4, 8, true, Duration.ZERO), Who.WITH_READ_LOCKS),

	READ_WRITE_1MS(new Load(Work.READS_AND_WRITES, 4, 8, true, Duration.ofMillis(1)), Who.WITH_READ_LOCKS),

	READERS_ENTER(Load.of(Work.WAITING_TO_READ, 4, 250), Who.WITH_READ_LOCKS),

	WRITER_ENTERS(Load.of(Work.READING_WITHOUT_END, 4, 8), Who.WITH_READ_LOCKS),

	SPREAD_CLUSTER(SPREAD.load, Who.IN_CLUSTER),

	HOT_JVMS_CLUSTER(HOT_JVMS.load, Who.IN_CLUSTER),

	HAND_OVER_CLUSTER(HAND_OVER.load, Who.IN_CLUSTER),

	QUORUM_SOLO(SOLO.load, Who.IN_QUORUM),

	QUORUM_SPREAD(SPREAD.load, Who.IN_QUORUM),

	QUORUM_HAND_OVER(HAND_OVER.load, Who.IN_QUORUM),

	QUORUM_FROZEN(SOLO.load, Who.WITH_ONE_DOWN),

	QUORUM_KILLED(SOLO.load, Who.WITH_ONE_DOWN);

	/**
	 * What is measured when nothing else is asked for. The others have a command of their
	 * own.
	 */
	public static final Set<Scenario> REGULAR = EnumSet.range(SOLO, HOLDING);

	/**
	 * Those that count what stays behind.
	 */
	public static final Set<Scenario> GROWTH = EnumSet.range(GROWTH_KEYS, GROWTH_CANCELLED);

	/**
	 * Those in a cluster.
	 */
	public static final Set<Scenario> IN_CLUSTER = EnumSet.range(SPREAD_CLUSTER, HAND_OVER_CLUSTER);

	/**
	 * Those in a quorum.
	 */
	public static final Set<Scenario> IN_QUORUM = EnumSet.range(QUORUM_SOLO, QUORUM_KILLED);

	private final Load load;

	private final Set<Contender> contenders;

	Scenario(Load load, Set<Contender> contenders) {
		this.load = load;
		this.contenders = contenders;
	}

	/**
	 * Return the scenario of an {@link #id()}.
	 * @param id the id
	 * @return the scenario
	 */
	public static Scenario of(String id) {
		return Arrays.stream(values())
			.filter((scenario) -> scenario.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown scenario: " + id));
	}

	/**
	 * Return the name in files and on the command line.
	 * @return the id
	 */
	public String id() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Return what each JVM does.
	 * @return the load
	 */
	public Load load() {
		return this.load;
	}

	/**
	 * Return who takes part.
	 * @return the contenders
	 */
	public Set<Contender> contenders() {
		return this.contenders;
	}

	/**
	 * Return whether sections have to exclude each other.
	 * @return whether several threads lock the same key
	 */
	public boolean isContended() {
		return switch (this.load.work()) {
			case CYCLES, READS_AND_WRITES, WAITING, PING_PONG -> this.load.sharedKey();
			default -> false;
		};
	}

	/**
	 * Return on which servers somebody takes part.
	 * @param contender who
	 * @return what there is to be for him
	 */
	public Topology topology(Contender contender) {
		if (contender == Contender.STARTER_SINGLE) {
			return Topology.SINGLE;
		}
		return IN_QUORUM.contains(this) ? Topology.QUORUM
				: IN_CLUSTER.contains(this) ? Topology.CLUSTER : Topology.SINGLE;
	}

	/**
	 * Return whether the times are those of an acquisition and its release, and not of
	 * the acquisition alone: with a server less, each of them could take longer.
	 * @return whether times end with the release
	 */
	public boolean timesRelease() {
		return IN_QUORUM.contains(this) && this.load.work() == Work.CYCLES;
	}

	/**
	 * Return the kinds of threads to compare.
	 * @return the kinds
	 */
	public List<ThreadKind> threadKinds() {
		return needsVirtualThreads() ? List.of(ThreadKind.PLATFORM, ThreadKind.VIRTUAL) : List.of(ThreadKind.PLATFORM);
	}

	/**
	 * Return whether this is for newer JDKs only.
	 * @return whether there are virtual threads
	 */
	public boolean needsVirtualThreads() {
		return this == SPREAD_VIRTUAL;
	}

	/**
	 * Return how often to do what is counted.
	 * @return the number of times
	 */
	public int times() {
		return switch (this) {
			case GROWTH_KEYS -> 1_000_000;
			case GROWTH_REFUSED -> 200_000;
			case GROWTH_CANCELLED -> 100_000;
			default -> 0;
		};
	}

	/**
	 * Return how much memory the JVMs have. One that runs out of it ends.
	 * @return arguments of the JVM
	 */
	public List<String> jvmArguments() {
		String memory = (this.load.work() == Work.SOAK) ? "128m" : "512m";
		return List.of("-Xms" + ((this.load.work() == Work.SOAK) ? memory : "256m"), "-Xmx" + memory,
				"-XX:+ExitOnOutOfMemoryError");
	}

	/**
	 * Return how long to measure at least, however short the rounds of the others are:
	 * what happens every few seconds is to happen a few times.
	 * @param ttl how long a lock outlives its holder
	 * @return the least duration
	 */
	public Duration minimum(Duration ttl) {
		return switch (this.load.work()) {
			case HOLDING -> ttl;
			case WAITING -> ttl.multipliedBy(2).dividedBy(3);
			default -> Duration.ZERO;
		};
	}

	private static final class Who {

		// Nobody is busy there, so nobody polls.
		static final Set<Contender> WITHOUT_POLLING = EnumSet
			.complementOf(EnumSet.of(Contender.STARTER_ACKNOWLEDGED, Contender.STARTER_SINGLE, Contender.REDISSON_RED,
					Contender.SPRING_SPIN_1MS, Contender.LOCK4J_1MS, Contender.SHEDLOCK, Contender.FLOOR));

		static final Set<Contender> SELECTED = EnumSet.of(Contender.STARTER, Contender.REDISSON,
				Contender.SPRING_PUBSUB, Contender.TEXTBOOK, Contender.TWO_PINGS);

		// Nobody gets the lock there; those that poll every millisecond would measure
		// that.
		static final Set<Contender> WITHOUT_VARIANTS = EnumSet.of(Contender.STARTER, Contender.REDISSON,
				Contender.REDISSON_FAIR, Contender.SPRING_PUBSUB, Contender.SPRING_SPIN, Contender.LOCK4J);

		static final Set<Contender> IN_SERVICES = EnumSet.of(Contender.STARTER, Contender.SHEDLOCK, Contender.LOCK4J,
				Contender.REDISSON, Contender.FLOOR);

		static final Set<Contender> WITH_PERMITS = EnumSet.of(Contender.STARTER, Contender.REDISSON);

		static final Set<Contender> WITH_READ_LOCKS = WITH_PERMITS;

		// For minutes each.
		static final Set<Contender> ONE_OF_EACH = EnumSet.of(Contender.STARTER, Contender.REDISSON,
				Contender.SPRING_PUBSUB, Contender.LOCK4J, Contender.TEXTBOOK);

		// What metrics cost shows where nobody waits.
		static final Set<Contender> LOCKS = EnumSet.complementOf(
				EnumSet.of(Contender.STARTER_METRICS, Contender.STARTER_ACKNOWLEDGED, Contender.STARTER_SINGLE,
						Contender.REDISSON_RED, Contender.TWO_PINGS, Contender.SHEDLOCK, Contender.FLOOR));

		static final Set<Contender> IN_CLUSTER = EnumSet.of(Contender.STARTER, Contender.STARTER_ACKNOWLEDGED,
				Contender.STARTER_SINGLE, Contender.REDISSON, Contender.TEXTBOOK);

		static final Set<Contender> IN_QUORUM = EnumSet.of(Contender.STARTER, Contender.STARTER_SINGLE,
				Contender.REDISSON_RED);

		static final Set<Contender> WITH_ONE_DOWN = EnumSet.of(Contender.STARTER, Contender.REDISSON_RED);

	}

}
