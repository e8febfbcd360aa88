// SPDX-License-Identifier: Apache-2.0

/**
 * The lock registry of Spring Integration.
 */
@NullMarked
package io.lockstarter.integration.spring;

import org.jspecify.annotations.NullMarked;
