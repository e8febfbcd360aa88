// SPDX-License-Identifier: Apache-2.0
// @formatter:off
/*
 * The map of the engine. Read it before anything else in this package.
 *
 * WHO DOES WHAT
 *
 *   DefaultLockRegistry, DefaultPermits ...   what applications call
 *        |
 *   AcquireOperations, Acquisition     one request, for all of its keys or for any; a Waiter for each
 *        |
 *   LockEngine     all queues of one instance; signals of the store; the Sweeper for deadlines and
 *        |         polls, and the Watchdog for renewals
 *        |
 *   LocalQueue     one key: the mutex, and how each transition begins and ends
 *     |-- KeyMoves      what becomes of the key: the decision, and what follows from answers
 *     |-- Waiters       who waits here, first in, first out; how a wait ends; who is to be told
 *     |-- Contender     what the store was asked for this JVM, and what it said
 *     |-- CurrentLeases  the leases that are out (several if they share the key), and how they end
 *        |
 *   Ownership      what this JVM has at the store: owner id, deadline, a block of tokens
 *   StoreClient    commands with a time limit, and OrphanCleaner for those of unknown outcome
 *   News           tells monitors and listeners what happened
 *
 * Who watches stands beside it: Inspection and StoreHealth, OverlongLog, LimitCheck. They read
 * the engine, and nothing of it knows them: the registry makes them and says whom to tell.
 *
 * Calls go down. Contender and CurrentLeases return what came of a call, or leave it
 * in their state. Up they know the engine as QueueHost; KeyMoves and leases know their queue as
 * Lessor, through which an answer or a timer takes the mutex (locked).
 *
 * STATES of a key in this JVM, at the end of each transition
 *
 *   leased    a lease is out; the contender is idle
 *   shared    leases are out that share the key; the contender may be asking or waiting as well,
 *             for the head, who cannot be granted a lease beside them from what is here
 *             (permits are not shared keys: each is an exclusive key of its own, see Slots)
 *   asking    an acquire command is in flight (Contender.isAsking)
 *   waiting   somebody waits here, and a signal or the timer asks again (Contender.isWaiting):
 *             the key is busy elsewhere, or is kept for a minimum hold, or the store failed
 *   retired   nobody uses the key here; the queue is out of the map and stays so
 * A queue that is closed goes on in the same way, but lets nobody join any more.
 *
 * TRANSITIONS
 *
 *   (new)    --join-------------------> asking
 *   asking, leased, waiting --join----> the same  waits behind others, or is told busy if it does not wait
 *   asking   --acquired---------------> leased    to the first who waits; or shared,
 *                                                 to all who want that (letIn)
 *            --acquired too late------> asking    once, by the same owner id
 *            --busy, somebody waits---> waiting   first out: those whose wait time is over; what was
 *                                                 passed on here is lost, which is told
 *            --busy, nobody waits-----> retired   leaves the queue of the store
 *            --failed-----------------> waiting   first out: those whose wait limit is over
 *            --last waiter gives up---> asking    up to the answer: what is acquired then is released
 *   leased   --released, waiters------> leased    the next token of the block, no round trip
 *                                       asking    the ownership is used up, or too short: prolonged
 *                                       waiting   the slice is over: others first (requeue)
 *            --released, no waiters---> retired   the release is on its way to the store
 *            --released too early-----> waiting   kept for its minimum hold; retired if nobody waits
 *            --shared-----------------> shared    a downgrade (share)
 *            --lost-------------------> asking, or retired if nobody waits
 *   shared   --join, shares, alone----> shared    from the same ownership, no round trip (enter)
 *            --join, others-----------> shared    and asking: so that it stands in the queue of the store
 *            --the last one released--> as from leased, but the key is always released at the store
 *   waiting  --signal, timer----------> asking
 *            --granted by a release---> leased    no round trip, and renewed at once; or asking, by the
 *                                                 owner id of the grant, if it may have been made long ago
 *            --last waiter gives up---> retired
 *
 * WHAT FOLLOWS FROM THE STATE is not decided in each transition, but once, at the end of
 * the outermost one (KeyMoves.settle), where no exclusive lease is out and the contender is not asking:
 * what the store has for this instance and nobody here uses, as it was acquired or released
 * just now, goes to the head, or is prolonged for it, or is released (use); where the head wants
 * what the contender does not wait for, as nothing was asked yet, or for the other mode, the store
 * is asked; where nobody needs the key, the queue is retired. So no
 * transition begins within another, except that a store may answer a command at once, and
 * that a release, which returns what came of it, settles by itself.
 *
 * THE MUTEX guards the queue with its waiters, contender, current leases, and their ownerships.
 * Held while commands are sent, which keeps those for one key in order, and while a LockMonitor
 * is called, which must not block; not held while anything blocks, nor while
 * an acquirer is told its outcome (unlock). Sent without it are: a command for several keys, for
 * whose time all of them are asking (claim); renewals, which the watchdog sends in an order of its
 * own (Watchdog.sending); the leave after a reservation in vain (LockEngine); and what the
 * OrphanCleaner repeats.
 *
 * LOCK ORDER: the monitor of the registry (start and stop), this mutex, then those of the Sweeper,
 * of ForcedOwners, of a scheduler or inside a store. Nobody holds the mutexes of two queues.
 * Watchdog.sending is held without this mutex. The monitor of an Ownership comes last.
 *
 * READ WITHOUT THE MUTEX: the current lease, its deadline, and whether it is active: so
 * isValid() takes no lock and does no I/O, and the sweeps for deadlines and renewals take the
 * mutex only to change something.
 *
 * HOW THINGS END: a waiter is granted, is told busy or failed, times out, or gives up; a
 * lease is released or lost; an attempt is answered or cancelled; a key is released at the
 * store, or is left to the OrphanCleaner if nobody knows; a queue is retired. An error, as of a
 * JVM without memory, ends what it hits in the same way: whoever waits is told, and what nobody
 * uses is released.
 *
 * THREADS: callers (join, release), the thread of the connection (answers, signals), and
 * those of Timing: one for deadlines, one for the watchdog and polls, and some for callbacks.
 */
// @formatter:on

/**
 * What makes a store of single commands a registry of locks: the local queues, the leases
 * and their deadlines, the watchdog. Start with the map above, then read
 * {@code KeyMoves}, which decides for one key, {@code LocalQueue}, which has its mutex,
 * and {@code LockEngine}, which has the queues of all. Knows the API,
 * {@link io.lockstarter.store}, {@link io.lockstarter.platform} and
 * {@link io.lockstarter.log}, and neither Spring nor a Redis client. Of ours, only the
 * auto-configuration, the metrics and the support for tests use it.
 */
@NullMarked
package io.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
