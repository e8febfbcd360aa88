// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.redis.connection;

/**
 * How many replicas have to know of a command before it is answered.
 *
 * @param count how many of them
 * @param millis how long they have
 */
public record RequiredReplicas(int count, long millis) {
}
