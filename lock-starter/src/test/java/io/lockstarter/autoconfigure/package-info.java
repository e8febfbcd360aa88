// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the auto-configurations, in real application contexts.
 */
@NullMarked
package io.lockstarter.autoconfigure;

import org.jspecify.annotations.NullMarked;
