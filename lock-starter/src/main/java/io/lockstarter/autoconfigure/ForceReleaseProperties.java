// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of what the Actuator endpoint may do to locks.
 *
 * @param forceRelease Whether the endpoint may release locks in place of their holders.
 */
@ConfigurationProperties("distributed-lock.endpoint")
record ForceReleaseProperties(@DefaultValue("false") boolean forceRelease) {
}
