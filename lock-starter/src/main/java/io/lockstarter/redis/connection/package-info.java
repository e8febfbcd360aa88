// SPDX-License-Identifier: Apache-2.0
/**
 * A client of Redis over Lettuce, for one script that carries out many commands a call.
 * It finds the server that has the keys (one, the primary that Sentinels name, one of
 * several, a node of a cluster), keeps connections to it, replaces those that are lost,
 * sends again what was left unanswered, and subscribes to channels. It knows commands
 * that are sent, answered, refused or given up, and nothing of locks.
 * <p>
 * Only {@link io.lockstarter.redis} comes in, by {@code RedisConnections}. Read that
 * first; then, for commands, {@code CommandSender}, which goes on from one
 * {@code CommandConnection} to the next, and {@code CommandBatch}, which is one call; for
 * messages {@code ChannelSubscription}; and {@code LettuceClient}, by which connections
 * are made. All that has to do with sockets is behind {@code Transport}.
 */
@NullMarked
package io.lockstarter.redis.connection;

import org.jspecify.annotations.NullMarked;
