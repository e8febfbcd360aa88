// SPDX-License-Identifier: Apache-2.0
/**
 * What the sample brings along so that nothing has to be installed: a Redis server and a
 * database.
 */
@NullMarked
package io.lockstarter.sample.local;

import org.jspecify.annotations.NullMarked;
