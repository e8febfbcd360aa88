// SPDX-License-Identifier: Apache-2.0

/**
 * The lock provider of ShedLock.
 */
@NullMarked
package io.lockstarter.integration.shedlock;

import org.jspecify.annotations.NullMarked;
