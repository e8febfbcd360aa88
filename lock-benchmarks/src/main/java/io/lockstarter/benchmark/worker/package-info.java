// SPDX-License-Identifier: Apache-2.0
/**
 * What runs in the measured JVMs.
 */
@NullMarked
package io.lockstarter.benchmark.worker;

import org.jspecify.annotations.NullMarked;
