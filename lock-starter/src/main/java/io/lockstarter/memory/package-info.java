// SPDX-License-Identifier: Apache-2.0
/**
 * The lock store in this JVM, for a single instance and for tests. Knows
 * {@link io.lockstarter.store} and the clock of {@link io.lockstarter.platform}.
 */
@NullMarked
package io.lockstarter.memory;

import org.jspecify.annotations.NullMarked;
