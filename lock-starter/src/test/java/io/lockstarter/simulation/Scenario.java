// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * What a run is made of: everything else follows from the seed.
 *
 * @param seed the seed
 * @param topology what servers there are
 * @param instances how many processes
 * @param actors how many callers in each of them
 * @param keys how many keys
 * @param operations how often each caller wants a lock
 * @param permits of how many keys there are permits; {@link #PERMITS_DRAWN} if that is a
 * matter of the seed
 * @param shared how many percent of the locks are wanted in shared mode;
 * {@link #SHARED_DRAWN} if that is a matter of the seed
 * @param retained how many percent of the locks are retained when they are released;
 * {@link #RETAINED_DRAWN} if that is a matter of the seed
 * @param without faults that do not happen
 * @param mask which of the occurrences of faults happen, one bit for each
 */
record Scenario(long seed, Topology topology, int instances, int actors, int keys, int operations, int permits,
		int shared, int retained, Set<Fault> without, long mask) {

	static final int MOST_FAULTS = 10;

	static final int PERMITS_DRAWN = -1;

	static final int SHARED_DRAWN = -1;

	static final int RETAINED_DRAWN = -1;

	static Scenario of(long seed, Topology topology) {
		return new Scenario(seed, topology, 3, 2, 2, 2, PERMITS_DRAWN, SHARED_DRAWN, RETAINED_DRAWN,
				EnumSet.noneOf(Fault.class), (1L << MOST_FAULTS) - 1);
	}

	/**
	 * Return the faults that happen. Which kinds there are, and how many, is a matter of
	 * the seed: with few kinds they meet more often.
	 */
	List<Occurrence> faults(World world) {
		SplittableRandom random = world.stream(5, 0);
		List<Fault> kinds = new ArrayList<>(this.topology.faults());
		int chosen = random.nextInt(5);
		while (kinds.size() > Math.max(1, chosen)) {
			kinds.remove(random.nextInt(kinds.size()));
		}
		int count = (chosen == 0) ? 0 : 1 + random.nextInt(MOST_FAULTS);
		List<Occurrence> faults = new ArrayList<>();
		for (int i = 0; i < MOST_FAULTS; i++) {
			SplittableRandom own = world.stream(6, i);
			Fault kind = kinds.get(own.nextInt(kinds.size()));
			long at = own.nextLong(4 * World.SECOND);
			if (i < count && (this.mask & 1L << i) != 0 && !this.without.contains(kind)) {
				faults.add(new Occurrence(i, kind, at, own));
			}
		}
		return faults;
	}

	Scenario withSeed(long changed) {
		return new Scenario(changed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.retained, this.without, this.mask);
	}

	Scenario withTopology(Topology changed) {
		return new Scenario(this.seed, changed, this.instances, this.actors, this.keys, this.operations, this.permits,
				this.shared, this.retained, this.without, this.mask);
	}

	Scenario withoutFaults(Set<Fault> changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.retained, changed, this.mask);
	}

	Scenario withInstances(int changed) {
		return new Scenario(this.seed, this.topology, changed, this.actors, this.keys, this.operations, this.permits,
				this.shared, this.retained, this.without, this.mask);
	}

	Scenario withActors(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, changed, this.keys, this.operations, this.permits,
				this.shared, this.retained, this.without, this.mask);
	}

	Scenario withKeys(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, changed, this.operations,
				this.permits, this.shared, this.retained, this.without, this.mask);
	}

	Scenario withOperations(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, changed, this.permits,
				this.shared, this.retained, this.without, this.mask);
	}

	Scenario withPermits(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations, changed,
				this.shared, this.retained, this.without, this.mask);
	}

	Scenario withShared(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, changed, this.retained, this.without, this.mask);
	}

	Scenario withRetained(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, changed, this.without, this.mask);
	}

	Scenario withMask(long changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.retained, this.without, changed);
	}

	/**
	 * Return the options of the command line that repeat it.
	 */
	String options() {
		StringBuilder options = new StringBuilder();
		options.append("--seed ").append(this.seed);
		options.append(" --topology ").append(name(this.topology));
		options.append(" --instances ").append(this.instances);
		options.append(" --actors ").append(this.actors);
		options.append(" --keys ").append(this.keys);
		options.append(" --operations ").append(this.operations);
		if (this.permits != PERMITS_DRAWN) {
			options.append(" --permits ").append(this.permits);
		}
		if (this.shared != SHARED_DRAWN) {
			options.append(" --shared ").append(this.shared);
		}
		if (this.retained != RETAINED_DRAWN) {
			options.append(" --retained ").append(this.retained);
		}
		for (Fault fault : this.without) {
			options.append(" --without ").append(name(fault));
		}
		options.append(" --mask ").append(Long.toHexString(this.mask));
		return options.toString();
	}

	static String name(Enum<?> constant) {
		return constant.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
	}

	/**
	 * A fault.
	 *
	 * @param number which one
	 * @param random what else there is to draw for it
	 */
	record Occurrence(int number, Fault kind, long at, SplittableRandom random) {

	}

}
