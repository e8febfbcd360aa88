// SPDX-License-Identifier: Apache-2.0
/**
 * Real registries over real scripts in a world of one thread, whose time, network,
 * servers and faults follow from one seed.
 */
@NullMarked
package io.lockstarter.simulation;

import org.jspecify.annotations.NullMarked;
