// SPDX-License-Identifier: Apache-2.0

/**
 * Elections in the simulation.
 */
@NullMarked
package io.lockstarter.leader;

import org.jspecify.annotations.NullMarked;
