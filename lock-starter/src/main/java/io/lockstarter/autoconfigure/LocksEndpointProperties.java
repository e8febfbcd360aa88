// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of what the Actuator endpoint shows of locks.
 *
 * @param showValues When to show the keys of locks.
 * @param roles Roles used to determine whether a user is authorized to be shown the keys.
 * When empty, all authenticated users are authorized. When not empty, a user needs one of
 * them to release locks by force, too.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(@DefaultValue("never") Show showValues, @DefaultValue Set<String> roles) {
}
