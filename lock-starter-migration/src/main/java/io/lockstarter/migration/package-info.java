// SPDX-License-Identifier: Apache-2.0
/**
 * Holds locks of other libraries, or of code written by hand, together with ours, while
 * instances with either run. Start with {@code OldLocks}, whose keys the script in
 * {@code META-INF/lock-starter} takes and gives back. Knows the auto-configuration of the
 * registry and {@link io.lockstarter.redis}.
 */
@NullMarked
package io.lockstarter.migration;

import org.jspecify.annotations.NullMarked;
