// SPDX-License-Identifier: Apache-2.0
/**
 * The code that the documentation shows, and tests that run it.
 */
@NullMarked
package io.lockstarter.docs;

import org.jspecify.annotations.NullMarked;
