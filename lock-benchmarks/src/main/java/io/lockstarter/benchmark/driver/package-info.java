// SPDX-License-Identifier: Apache-2.0
/**
 * Starts servers and JVMs, tells them when to measure, and collects what they did.
 */
@NullMarked
package io.lockstarter.benchmark.driver;

import org.jspecify.annotations.NullMarked;
