// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.simulation;

/**
 * What can go wrong.
 */
enum Fault {

	/**
	 * Connections of a process and a server are reset, and what was under way is gone.
	 */
	CUT,

	/**
	 * As a cut, but requests under way are executed some time later.
	 */
	GHOSTS,

	/**
	 * Nothing passes between a process and a server for a while.
	 */
	PARTITION,

	/**
	 * Nothing passes in one direction for a while.
	 */
	HALF_PARTITION,

	/**
	 * What passes in one direction between a process and a server is late for a while.
	 */
	LAG,

	/**
	 * A server stands still, and executes later what it got meanwhile.
	 */
	FREEZE,

	/**
	 * A process cannot open connections to a server for a while, and those that it had
	 * are reset.
	 */
	REFUSE,

	/**
	 * A process stands still.
	 */
	PAUSE,

	/**
	 * The watchdog of a process stands still.
	 */
	STALL,

	/**
	 * A process dies, and is started again.
	 */
	CRASH,

	/**
	 * A process stops in order, and is started again.
	 */
	STOP,

	/**
	 * A server is restarted with its memory.
	 */
	RESTART,

	/**
	 * A server is restarted without its memory.
	 */
	FORGET,

	/**
	 * All keys of a server are deleted.
	 */
	FLUSH,

	/**
	 * A server is restarted with an old memory.
	 */
	OLD_SNAPSHOT,

	/**
	 * The clock of a server is set forward.
	 */
	CLOCK_FORWARD,

	/**
	 * The clock of a server is set back.
	 */
	CLOCK_BACK,

	/**
	 * The clock of a process goes slower than all others, beyond the margin.
	 */
	CLOCK_RATE,

	/**
	 * A server forgets its scripts.
	 */
	FLUSH_SCRIPTS,

	/**
	 * A server has no memory left for a while.
	 */
	OOM,

	/**
	 * Somebody releases a lock by force.
	 */
	FORCE,

	/**
	 * A primary dies, and its replica takes its place.
	 */
	PROMOTE,

	/**
	 * The replica takes the place of the primary, which lives on for a while.
	 */
	PROMOTE_ALIVE,

	/**
	 * A slot moves to another primary.
	 */
	MOVE_SLOT,

	/**
	 * A connection delivers nothing more in one direction, or in both, and nobody is told
	 * so.
	 */
	SILENCE,

	/**
	 * A single key of a server is deleted, or evicted: a lock, its readers, its queue,
	 * the fence, or what remembers a release by force. Not drawn along with the others.
	 */
	VANISH,

	/**
	 * Nothing is written for a while by a process to a server. Not drawn along with the
	 * others.
	 */
	STUCK,

	/**
	 * The application of a process replaces its client, with all connections. Not drawn
	 * along with the others.
	 */
	REPLACE,

	/**
	 * Scripts may not write the fence of a server for a while. Not drawn along with the
	 * others.
	 */
	PROTECT,

	/**
	 * The connections of a process to a server are reset time and again for a while, and
	 * some cannot be opened. Not drawn along with the others.
	 */
	FLICKER

}
