// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.stage;

/**
 * What can befall whoever holds the lock.
 */
enum Mishap {

	/** The JVM is halted. */
	CRASH,

	/** The process is stopped for longer than the ttl. */
	PAUSE

}
