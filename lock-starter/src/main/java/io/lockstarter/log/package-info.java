// SPDX-License-Identifier: Apache-2.0
/**
 * Logging at a rate that one can bear. Start with {@code LimitedLog}. Knows nothing of
 * locks. Not part of the API.
 */
@NullMarked
package io.lockstarter.log;

import org.jspecify.annotations.NullMarked;
