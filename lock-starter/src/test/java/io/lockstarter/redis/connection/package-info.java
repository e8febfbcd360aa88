// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of connections, and those that the simulation has in place of real ones.
 */
@NullMarked
package io.lockstarter.redis.connection;

import org.jspecify.annotations.NullMarked;
