// SPDX-License-Identifier: Apache-2.0
/**
 * Measures lock-starter side by side with its peers.
 */
@NullMarked
package io.lockstarter.benchmark;

import org.jspecify.annotations.NullMarked;
