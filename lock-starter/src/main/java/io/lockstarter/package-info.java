// SPDX-License-Identifier: Apache-2.0
/**
 * The API of lock-starter: a registry of distributed locks, the leases it grants and the
 * exceptions it throws.
 */
@NullMarked
package io.lockstarter;

import org.jspecify.annotations.NullMarked;
