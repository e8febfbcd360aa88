// SPDX-License-Identifier: Apache-2.0
/**
 * Tests.
 */
@NullMarked
package io.lockstarter.benchmark.worker;

import org.jspecify.annotations.NullMarked;
