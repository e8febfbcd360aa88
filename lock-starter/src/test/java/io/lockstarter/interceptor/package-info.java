// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of annotated methods, in real application contexts.
 */
@NullMarked
package io.lockstarter.interceptor;

import org.jspecify.annotations.NullMarked;
