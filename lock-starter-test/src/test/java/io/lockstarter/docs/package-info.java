// SPDX-License-Identifier: Apache-2.0
/**
 * The code that docs/testing-your-service.md shows, and tests that run it.
 */
@NullMarked
package io.lockstarter.docs;

import org.jspecify.annotations.NullMarked;
