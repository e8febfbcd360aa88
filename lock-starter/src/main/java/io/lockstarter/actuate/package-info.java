// SPDX-License-Identifier: Apache-2.0

/**
 * The Actuator endpoint that shows and releases locks, and their health. Built on the API
 * alone. Of ours, only the auto-configuration uses it.
 */
@NullMarked
package io.lockstarter.actuate;

import org.jspecify.annotations.NullMarked;
