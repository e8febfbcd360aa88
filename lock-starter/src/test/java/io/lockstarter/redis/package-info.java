// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of the store against a real Redis.
 */
@NullMarked
package io.lockstarter.redis;

import org.jspecify.annotations.NullMarked;
