// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What servers there are.
 */
enum Topology {

	/**
	 * One server.
	 */
	ONE(1),

	/**
	 * A primary with a replica that may take its place, behind one name.
	 */
	FAILOVER(2),

	/**
	 * Primaries that share the slots, and a replica of one of them.
	 */
	CLUSTER(4),

	/**
	 * Servers that vote, in some runs five.
	 */
	QUORUM(3);

	private static final int MORE_VOTERS = 5;

	private final int servers;

	Topology(int servers) {
		this.servers = servers;
	}

	/**
	 * Return how many servers there are.
	 * @param random of which a quorum has more than usual at times
	 */
	int servers(SplittableRandom random) {
		return (this == QUORUM && random.nextInt(4) == 0) ? MORE_VOTERS : this.servers;
	}

	/**
	 * Return what can go wrong.
	 */
	Set<Fault> faults() {
		Set<Fault> faults = EnumSet.of(Fault.CUT, Fault.GHOSTS, Fault.PARTITION, Fault.HALF_PARTITION, Fault.LAG,
				Fault.FREEZE, Fault.REFUSE, Fault.PAUSE, Fault.STALL, Fault.CRASH, Fault.STOP, Fault.CLOCK_RATE,
				Fault.FLUSH_SCRIPTS, Fault.OOM, Fault.FORCE, Fault.SILENCE);
		faults.addAll(switch (this) {
			case ONE -> EnumSet.of(Fault.RESTART, Fault.FORGET, Fault.FLUSH, Fault.OLD_SNAPSHOT, Fault.CLOCK_FORWARD,
					Fault.CLOCK_BACK);
			case FAILOVER -> EnumSet.of(Fault.PROMOTE, Fault.PROMOTE_ALIVE);
			case CLUSTER -> EnumSet.of(Fault.MOVE_SLOT, Fault.PROMOTE, Fault.PROMOTE_ALIVE);
			case QUORUM -> EnumSet.of(Fault.RESTART, Fault.FORGET, Fault.FLUSH, Fault.OLD_SNAPSHOT, Fault.CLOCK_FORWARD,
					Fault.CLOCK_BACK);
		});
		return faults;
	}

}
