// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * The permits of a scenario, of which most scenarios have none, so that they are what
 * they would be without permits at all.
 */
final class PermitPlan {

	private static final int LARGEST_LIMIT = 3;

	/** By key, then by instance. */
	private final Map<String, int[]> limits = new TreeMap<>();

	PermitPlan(Scenario scenario, World world) {
		// By this stream no seed draws permits that tests and documents name for locks.
		SplittableRandom random = world.stream(32, 0);
		int drawn = (random.nextInt(4) == 0) ? 1 + random.nextInt(2) : 0;
		int count = (scenario.permits() == Scenario.PERMITS_DRAWN) ? drawn : scenario.permits();
		for (int i = 0; i < count; i++) {
			int limit = limit(random);
			boolean agreed = random.nextInt(4) != 0;
			int[] own = new int[scenario.instances()];
			for (int instance = 0; instance < own.length; instance++) {
				own[instance] = agreed ? limit : limit(random);
			}
			this.limits.put("p" + i, own);
		}
	}

	private static int limit(SplittableRandom random) {
		return 1 + random.nextInt(LARGEST_LIMIT);
	}

	boolean isEmpty() {
		return this.limits.isEmpty();
	}

	/**
	 * Return what there are permits of.
	 */
	List<String> keys() {
		return List.copyOf(this.limits.keySet());
	}

	/**
	 * Return the limit that an instance knows.
	 */
	int limit(String key, int instance) {
		return limits(key)[instance];
	}

	/**
	 * Return the largest limit that any instance knows, which is the one that counts.
	 */
	int largest(String key) {
		return IntStream.of(limits(key)).max().orElseThrow();
	}

	private int[] limits(String key) {
		return java.util.Objects.requireNonNull(this.limits.get(key));
	}

	/**
	 * Return the keys of the slots below a limit.
	 */
	static List<String> slots(String key, int limit) {
		return IntStream.range(0, limit).mapToObj((slot) -> prefix(key) + slot).toList();
	}

	/**
	 * Return how the keys of all slots begin.
	 */
	static String prefix(String key) {
		return "permit:" + key + ":";
	}

	/**
	 * Return the keys of all slots.
	 */
	List<String> slots() {
		List<String> slots = new ArrayList<>();
		keys().forEach((key) -> slots.addAll(slots(key, largest(key))));
		return slots;
	}

}
