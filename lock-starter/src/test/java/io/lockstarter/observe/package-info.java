// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of metrics and observations.
 */
@NullMarked
package io.lockstarter.observe;

import org.jspecify.annotations.NullMarked;
