// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of leaders.
 *
 * @param roles Roles for which this instance is a candidate, in addition to those
 * of @LeaderOnly methods.
 * @param ttl How long nobody leads after a leader died; the ttl of locks if it is not
 * set.
 */
@ConfigurationProperties("distributed-lock.leader")
record LeaderProperties(@DefaultValue Set<String> roles, @Nullable Duration ttl) {
}
