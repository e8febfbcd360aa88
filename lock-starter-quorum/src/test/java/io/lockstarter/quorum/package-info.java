// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the quorum.
 */
@NullMarked
package io.lockstarter.quorum;

import org.jspecify.annotations.NullMarked;
