// SPDX-License-Identifier: Apache-2.0
/**
 * Turns the figures of the rounds into tables and plots.
 */
@NullMarked
package io.lockstarter.benchmark.report;

import org.jspecify.annotations.NullMarked;
