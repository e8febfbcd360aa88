// SPDX-License-Identifier: Apache-2.0

/**
 * What is not determined by the commands and answers before: time, random numbers and
 * threads. Start with {@code Platform}, which a simulation replaces. For the stores and
 * the engine, not for applications.
 */
@NullMarked
package io.lockstarter.platform;

import org.jspecify.annotations.NullMarked;
