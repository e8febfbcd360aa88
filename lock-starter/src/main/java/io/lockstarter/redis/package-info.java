// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps locks in Redis: the commands for locks, the scripts that carry them out, the
 * names of their keys, and the look at what is there. Start with {@code RedisLockStore},
 * whose commands the scripts in {@code META-INF/lock-starter} carry out, and which
 * {@code docs/internals/protocol.md} explains. It makes a {@code LockCommand}, with what
 * reads the reply, and sends it by the {@code Bucket} of the key. {@code LockScript} says
 * what each call begins with.
 * <p>
 * How commands get to the server is up to {@link io.lockstarter.redis.connection}. Knows
 * the API, {@link io.lockstarter.store}, {@link io.lockstarter.log} and
 * {@link io.lockstarter.platform}, and nothing of the engine. Of ours, only the
 * auto-configuration uses it.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
