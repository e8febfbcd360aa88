// SPDX-License-Identifier: Apache-2.0
/**
 * Redis servers of our own for tests.
 */
@NullMarked
package io.lockstarter.testkit;

import org.jspecify.annotations.NullMarked;
