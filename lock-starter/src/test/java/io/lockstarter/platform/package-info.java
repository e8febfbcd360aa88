// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the seam for all that is not determined.
 */
@NullMarked
package io.lockstarter.platform;

import org.jspecify.annotations.NullMarked;
