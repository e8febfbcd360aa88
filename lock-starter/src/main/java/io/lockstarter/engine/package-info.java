// SPDX-License-Identifier: Apache-2.0
/**
 * What makes a store of single commands a registry of locks: the local queues, the leases
 * and their deadlines, the watchdog. Start with the comment in {@code LocalQueue} that
 * explains the algorithm, then read {@code LockEngine}, which has the queues of all keys.
 * Knows the API, {@link io.lockstarter.store}, {@link io.lockstarter.platform} and
 * {@link io.lockstarter.log}, and neither Spring nor a Redis client. Of ours, only the
 * auto-configuration, the metrics and the support for tests use it.
 */
@NullMarked
package io.lockstarter.engine;

import org.jspecify.annotations.NullMarked;
