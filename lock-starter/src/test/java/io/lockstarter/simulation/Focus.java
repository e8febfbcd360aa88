// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * What most of the locks are like, as only such show some bugs.
 */
enum Focus {

	/**
	 * A matter of the seed.
	 */
	NONE,

	/**
	 * Most are wanted in shared mode.
	 */
	SHARED,

	/**
	 * Most are retained when they are released.
	 */
	RETAINED;

	private static final int MOSTLY = 60;

	Scenario of(Scenario scenario) {
		return switch (this) {
			case NONE -> scenario;
			case SHARED -> scenario.withShared(MOSTLY);
			case RETAINED -> scenario.withRetained(MOSTLY);
		};
	}

}
