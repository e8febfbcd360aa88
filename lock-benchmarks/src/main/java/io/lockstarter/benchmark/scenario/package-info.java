// SPDX-License-Identifier: Apache-2.0
/**
 * What is measured, as the driver and the JVMs that it starts both know it.
 */
@NullMarked
package io.lockstarter.benchmark.scenario;

import org.jspecify.annotations.NullMarked;
