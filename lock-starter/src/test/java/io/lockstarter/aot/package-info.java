// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the hints for native images.
 */
@NullMarked
package io.lockstarter.aot;

import org.jspecify.annotations.NullMarked;
