// SPDX-License-Identifier: Apache-2.0
/**
 * A small Redis inside of this JVM that runs the real scripts: one thread, a clock and
 * random numbers of the caller's, and the same answers each time.
 */
@NullMarked
package io.lockstarter.simulation.redis;

import org.jspecify.annotations.NullMarked;
