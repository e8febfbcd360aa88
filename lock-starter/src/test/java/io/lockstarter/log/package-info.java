// SPDX-License-Identifier: Apache-2.0
/**
 * Tests for logging at a rate that one can bear.
 */
@NullMarked
package io.lockstarter.log;

import org.jspecify.annotations.NullMarked;
