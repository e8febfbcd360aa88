// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.time.Duration;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of leaders.
 */
// Has setters, as LockProperties has.
@ConfigurationProperties("distributed-lock.leader")
final class LeaderProperties {

	/**
	 * Roles for which this instance is a candidate, in addition to those of @LeaderOnly
	 * methods.
	 */
	private Set<String> roles = Set.of();

	/**
	 * How long nobody leads after a leader died; the ttl of locks if it is not set.
	 */
	private @Nullable Duration ttl;

	public Set<String> getRoles() {
		return this.roles;
	}

	public void setRoles(Set<String> roles) {
		this.roles = roles;
	}

	public @Nullable Duration getTtl() {
		return this.ttl;
	}

	public void setTtl(@Nullable Duration ttl) {
		this.ttl = ttl;
	}

}
