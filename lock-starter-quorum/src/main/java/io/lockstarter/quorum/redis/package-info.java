// SPDX-License-Identifier: Apache-2.0
/**
 * Makes a Redis one of the servers of a quorum. Start with {@code VotingRedis}; what its
 * script adds to that of a single Redis is in {@code META-INF/lock-starter}.
 */
@NullMarked
package io.lockstarter.quorum.redis;

import org.jspecify.annotations.NullMarked;
