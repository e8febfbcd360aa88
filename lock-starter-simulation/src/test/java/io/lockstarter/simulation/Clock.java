// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * The clock of somebody, and what the world says of an instant of it.
 */
interface Clock {

	long nanoTime();

	/**
	 * Return when it is, or was, that instant.
	 */
	long worldTime(long instant);

	/**
	 * Return since when in the time of the world who has the clock does what is due.
	 */
	long runsSince();

}
