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
 * @param vanishing how many single keys of servers vanish; {@link #VANISHING_DRAWN} if
 * that is a matter of the seed
 * @param traits what it has that others have not
 * @param without faults that do not happen
 * @param mask which of the occurrences of faults happen, one bit for each
 */
record Scenario(long seed, Topology topology, int instances, int actors, int keys, int operations, int permits,
		int shared, int vanishing, Set<Trait> traits, Set<Fault> without, long mask) {

	static final int MOST_FAULTS = 10;

	static final int MOST_VANISHING = 6;

	/**
	 * How many faults a trait has.
	 */
	private static final int MOST_OF_TRAIT = 3;

	/**
	 * One bit for each fault, each key that vanishes, and each fault of a trait.
	 */
	static final int BITS = MOST_FAULTS + MOST_VANISHING + MOST_OF_TRAIT * Trait.values().length;

	/**
	 * By this stream no seed draws any keys that tests and documents name for other
	 * faults.
	 */
	private static final int VANISHING_STREAM = 4960403;

	/**
	 * By this stream no seed varies that documents name without sizes.
	 */
	private static final int VARIETY_STREAM = 1004;

	private static final int MOST_ACTORS = 6;

	private static final int MOST_OPERATIONS = 8;

	/**
	 * How often the callers of a process want a lock: more would take too long.
	 */
	private static final int MOST_IN_ALL = 24;

	private static final int[] KEYS = { 1, 1, 2, 3, 6 };

	private static final int SOME = 40;

	static final int PERMITS_DRAWN = -1;

	static final int SHARED_DRAWN = -1;

	static final int VANISHING_DRAWN = -1;

	static Scenario of(long seed, Topology topology) {
		return new Scenario(seed, topology, 3, 2, 2, 2, PERMITS_DRAWN, SHARED_DRAWN, VANISHING_DRAWN,
				EnumSet.noneOf(Trait.class), EnumSet.noneOf(Fault.class), (1L << BITS) - 1);
	}

	/**
	 * Return this scenario, or one that is varied, as a quarter of all seeds are.
	 */
	Scenario variedAtTimes() {
		return (draws(0).nextInt(4) == 0) ? varied() : this;
	}

	/**
	 * Return this scenario with the sizes, and the traits, that its seed draws.
	 */
	@SuppressWarnings("EnumOrdinal") // by which each has a stream of its own
	Scenario varied() {
		SplittableRandom random = draws(1);
		int actors = 1 + random.nextInt(MOST_ACTORS);
		int keys = KEYS[random.nextInt(KEYS.length)];
		int operations = 1 + random.nextInt(Math.min(MOST_OPERATIONS, MOST_IN_ALL / actors));
		Set<Trait> drawn = EnumSet.noneOf(Trait.class);
		for (Trait trait : Trait.values()) {
			// By a stream of its own, so that one more changes no other.
			if (draws(2 + trait.ordinal()).nextInt(3) == 0) {
				drawn.add(trait);
			}
		}
		boolean sharing = this.shared == SHARED_DRAWN && draws(-1).nextBoolean();
		return withActors(actors).withKeys(keys)
			.withOperations(operations)
			.withTraits(drawn)
			.withShared(sharing ? SOME : this.shared);
	}

	private SplittableRandom draws(int number) {
		return new World(this.seed, false).stream(VARIETY_STREAM, number);
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
		int vanishing = this.without.contains(Fault.VANISH) ? 0 : vanishing(world);
		for (int i = 0; i < vanishing; i++) {
			SplittableRandom own = world.stream(VANISHING_STREAM, 1 + i);
			long at = own.nextLong(4 * World.SECOND);
			if ((this.mask & 1L << (MOST_FAULTS + i)) != 0) {
				faults.add(new Occurrence(MOST_FAULTS + i, Fault.VANISH, at, own));
			}
		}
		for (Trait trait : this.traits) {
			addFaults(trait, world, faults);
		}
		return faults;
	}

	/**
	 * Return the mask of the faults that happen, and no others.
	 */
	long happening() {
		return faults(new World(this.seed, false)).stream()
			.mapToLong((occurrence) -> 1L << occurrence.number())
			.reduce(0, (one, other) -> one | other);
	}

	@SuppressWarnings("EnumOrdinal") // by which each has streams and bits of its own
	private void addFaults(Trait trait, World world, List<Occurrence> faults) {
		Fault kind = trait.fault();
		int stream = VARIETY_STREAM + 1 + trait.ordinal();
		int count = world.stream(stream, 0).nextInt(MOST_OF_TRAIT + 1);
		for (int i = 0; i < count && kind != null && !this.without.contains(kind); i++) {
			int number = MOST_FAULTS + MOST_VANISHING + MOST_OF_TRAIT * trait.ordinal() + i;
			SplittableRandom own = world.stream(stream, 1 + i);
			long at = own.nextLong(4 * World.SECOND);
			if ((this.mask & 1L << number) != 0) {
				faults.add(new Occurrence(number, kind, at, own));
			}
		}
	}

	/**
	 * Return how many single keys vanish.
	 */
	int vanishing(World world) {
		SplittableRandom random = world.stream(VANISHING_STREAM, 0);
		int drawn = (random.nextInt(4) == 0) ? 1 + random.nextInt(MOST_VANISHING) : 0;
		return (this.vanishing == VANISHING_DRAWN) ? drawn : Math.min(this.vanishing, MOST_VANISHING);
	}

	Scenario withSeed(long changed) {
		return new Scenario(changed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withTopology(Topology changed) {
		return new Scenario(this.seed, changed, this.instances, this.actors, this.keys, this.operations, this.permits,
				this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withoutFaults(Set<Fault> changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.vanishing, this.traits, changed, this.mask);
	}

	Scenario withInstances(int changed) {
		return new Scenario(this.seed, this.topology, changed, this.actors, this.keys, this.operations, this.permits,
				this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withActors(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, changed, this.keys, this.operations, this.permits,
				this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withKeys(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, changed, this.operations,
				this.permits, this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withOperations(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, changed, this.permits,
				this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withPermits(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations, changed,
				this.shared, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withShared(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, changed, this.vanishing, this.traits, this.without, this.mask);
	}

	Scenario withVanishing(int changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, changed, this.traits, this.without, this.mask);
	}

	Scenario withTraits(Set<Trait> changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.vanishing, changed, this.without, this.mask);
	}

	boolean has(Trait trait) {
		return this.traits.contains(trait);
	}

	Scenario withMask(long changed) {
		return new Scenario(this.seed, this.topology, this.instances, this.actors, this.keys, this.operations,
				this.permits, this.shared, this.vanishing, this.traits, this.without, changed);
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
		if (this.vanishing != VANISHING_DRAWN) {
			options.append(" --vanishing ").append(this.vanishing);
		}
		for (Trait trait : this.traits) {
			options.append(" --with ").append(name(trait));
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
