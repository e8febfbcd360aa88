// SPDX-License-Identifier: Apache-2.0
/**
 * Metrics and observations of locks, with Micrometer. Start with {@code LockMetrics}. Of
 * ours, only the auto-configuration uses it.
 */
@NullMarked
package io.lockstarter.observe;

import org.jspecify.annotations.NullMarked;
