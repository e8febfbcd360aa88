// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps locks in Redis: the commands for locks, the scripts that carry them out, the
 * names of their keys, and the look at what is there. Start with {@code RedisLockStore},
 * whose commands the scripts in {@code META-INF/lock-starter} carry out, and which
 * {@code docs/internals/protocol.md} explains. It makes a {@code LockCommand}, with what
 * reads the reply, and sends it by the {@code Bucket} of the key: all locks that share a
 * hash tag, of which there is one outside of a cluster. {@code LockScript} says what each
 * call begins with.
 * <p>
 * Who waits is in a queue per key, which the scripts keep. A release reserves the key for
 * who is next, or even grants it, and says so by a message to the channel of that
 * instance, of which there is one per bucket. {@code SignalReader} reads it, and tells
 * the {@code Signals}. Holders are told in the same way that others wait, or that a lock
 * was taken from them by force. Messages may be lost: whoever waits asks again after a
 * while, and {@code JoinedSignals} says whether all channels are listened to.
 * <p>
 * How commands get to the server is up to {@link io.lockstarter.redis.connection}. Knows
 * the API, {@link io.lockstarter.store}, {@link io.lockstarter.log} and
 * {@link io.lockstarter.platform}, and nothing of the engine. Of ours, only the
 * auto-configuration uses it.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
