// SPDX-License-Identifier: Apache-2.0
/**
 * A client of Redis over Lettuce, for one script that carries out many commands a call.
 * It finds the server that has the keys (one, the primary that Sentinels name, one of
 * several, a node of a cluster), keeps connections to it, replaces those that are lost,
 * sends again what was left unanswered, and subscribes to channels. It knows commands
 * that are sent, answered, refused or given up, and nothing of locks.
 * <p>
 * Only {@link io.lockstarter.redis} comes in, by {@code RedisConnections}, which has a
 * {@code Line} for each slot. The way of a {@code ScriptCommand}: from there into the
 * {@code Backlog}, and by a {@code Link} into a {@code CommandBatch}, which is one call;
 * and back to the line, by {@code ReplicaWait} if replicas have to know of it. Renewals
 * have a line of their own where they must not wait. A line is in one of the states of
 * {@code LineState}; an {@code Attempt} leads to the next link. What was sent and not
 * answered by then goes back to its place in the backlog, marked as repeated: it may have
 * been executed. What comes late is behind others, of which observers are told. For
 * messages read {@code ChannelSubscription}, for how connections are made
 * {@code LettuceClient}; a test makes them by another {@code Transport}.
 */
@NullMarked
package io.lockstarter.redis.connection;

import org.jspecify.annotations.NullMarked;
