// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

import java.util.EnumSet;

/**
 * What most of the locks are like, as only such show some bugs.
 */
enum Focus {

	/**
	 * A matter of the seed.
	 */
	NONE,

	/**
	 * The same, and so is whether single keys vanish.
	 */
	DRAWN,

	/**
	 * Most are wanted in shared mode.
	 */
	SHARED,

	/**
	 * All want the same lock, of which single keys vanish, and some share it.
	 */
	VANISHING,

	/**
	 * Sizes are drawn, and traits that few runs have.
	 */
	VARIED,

	/**
	 * Each process wants to lead.
	 */
	LEADING;

	private static final int MOSTLY = 60;

	private static final int SOME = 40;

	Scenario of(Scenario scenario) {
		return switch (this) {
			case NONE -> scenario.withVanishing(0);
			case DRAWN -> scenario;
			case SHARED -> scenario.withVanishing(0).withShared(MOSTLY);
			case VANISHING -> scenario.withVanishing(Scenario.MOST_VANISHING).withShared(SOME).withKeys(1);
			case VARIED -> scenario.withVanishing(0).varied();
			case LEADING -> scenario.withVanishing(0).withTraits(EnumSet.of(Trait.LEADING));
		};
	}

}
