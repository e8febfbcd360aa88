// SPDX-License-Identifier: Apache-2.0
/**
 * A database that refuses the late transactions of whoever lost a lock. Knows the API and
 * Spring JDBC; only the auto-configuration knows it. Applications use
 * {@link io.lockstarter.fence.LockFence}.
 */
@NullMarked
package io.lockstarter.fence;

import org.jspecify.annotations.NullMarked;
