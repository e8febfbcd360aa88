// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.lockstarter.log.LimitedLog;
import io.lockstarter.redis.connection.RequiredReplicas;

/**
 * What a command asks for that counts as done only when replicas know of it.
 *
 * @param replicas how many of them, and how long they have
 * @param giveBack undoes the command, for which there are too few
 * @param log told of that: whoever waits without a limit hears nothing of it otherwise
 */
record ReplicaAcknowledgement(RequiredReplicas replicas, Supplier<CompletableFuture<?>> giveBack, LimitedLog log) {
}
