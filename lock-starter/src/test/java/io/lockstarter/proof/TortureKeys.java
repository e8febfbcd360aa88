// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.proof;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the JVMs of a torture lock: keys, some of which are hot, and the slots of the
 * permits of one more key.
 *
 * @param locks how many keys there are besides permits
 */
record TortureKeys(int locks) {

	/**
	 * What permits are of, and how many there are.
	 */
	static final String PERMITS = "p";

	static final int LIMIT = 3;

	private static final String SLOT = "permit:" + PERMITS + ":";

	/**
	 * Every second acquisition is of one of these.
	 */
	private static final int HOT = 5;

	List<String> all() {
		return Stream
			.concat(IntStream.range(0, this.locks).mapToObj(TortureKeys::lock),
					IntStream.range(0, LIMIT).mapToObj(TortureKeys::slot))
			.toList();
	}

	/**
	 * Return a key that many want: a hot one, or a slot.
	 */
	static String anyWanted(Random random) {
		int number = random.nextInt(HOT + LIMIT);
		return (number < HOT) ? lock(number) : slot(number - HOT);
	}

	/**
	 * Return a hot key.
	 */
	static String anyHot(Random random) {
		return lock(random.nextInt(HOT));
	}

	String any(Random random) {
		return lock(random.nextInt(random.nextBoolean() ? Math.min(HOT, this.locks) : this.locks));
	}

	static boolean isSlot(String key) {
		return key.startsWith(SLOT);
	}

	private static String slot(int number) {
		return SLOT + number;
	}

	private static String lock(int number) {
		return "k" + number;
	}

}
