// SPDX-License-Identifier: Apache-2.0
/**
 * Sets up a quorum from {@code distributed-lock.quorum.*} properties. Start with
 * {@code QuorumAutoConfiguration}.
 */
@NullMarked
package io.lockstarter.quorum.autoconfigure;

import org.jspecify.annotations.NullMarked;
