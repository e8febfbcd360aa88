// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.instance;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What this instance was told about itself.
 *
 * @param host whether the Redis or the database of the sale end with this instance
 * @param parent the process that started this instance and takes it along when it ends
 */
@ConfigurationProperties("sale")
record InstanceProperties(boolean host, @Nullable Long parent) {
}
